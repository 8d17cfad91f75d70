import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from '@cer/http-service/testing';
import type { TestDatabase } from '@cer/sql-store/testing';

import { apiKeyPrefix, generateApiKey, hashApiKey, SCOPES } from '@cer/control-plane';
import type { NodeConfig } from '../src/start/config.js';
import { createKeyMaterial } from '../src/start/key-material.js';
import { openStore } from '../src/store/index.js';

export type NodeEnvironment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly stdout: () => string;
  /** Resolves when the log contains the text; rejects when the process ends without it. */
  readonly until: (text: string) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
}

/** Processes that a failed test may leave running. */
const children = new Set<ChildProcess>();

function run(main: string, args: readonly string[], env: NodeEnvironment, input = ''): Running {
  const child = spawn(process.execPath, [builtProgram(main), ...args], {
    // Does not inherit the environment of the tests.
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  children.add(child);
  child.once('exit', () => children.delete(child));
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  }
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode, ...said }));
  const until = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (said.stdout.includes(text)) resolve();
      };
      child.stdout.on('data', look);
      void ended.then(() => {
        reject(new Error(`the node ended before it logged ${text}: ${said.stderr}`));
      });
      look();
    });
  return { stdout: () => said.stdout, until, kill: (signal) => child.kill(signal), ended };
}

const MAIN = 'apps/node/src/main.ts';

/** Runs one of the node's commands to its end. */
export async function runNode(args: readonly string[], env: NodeEnvironment): Promise<Ended> {
  return runMain(MAIN, args, env);
}

/** The same of another service. @param input its standard input */
export async function runMain(main: string, args: readonly string[], env: NodeEnvironment, input = ''): Promise<Ended> {
  return run(main, args, env, input).ended;
}

export interface NodeProcess extends Running {
  readonly url: string;
}

/** A listening node in a separate process. */
export async function startNodeProcess(env: NodeEnvironment): Promise<NodeProcess> {
  return startMain(MAIN, env);
}

/** Another listening service in a separate process. */
export async function startMain(main: string, env: NodeEnvironment): Promise<NodeProcess> {
  const running = run(main, [], { PORT: '0', ...env });
  await running.until('"msg":"listening"');
  const url = /"url":"([^"]+)"/.exec(running.stdout())?.[1];
  if (url === undefined) throw new Error('the service did not log its address');
  return { ...running, url };
}

export interface Premises {
  readonly folder: string;
  readonly env: NodeEnvironment;
  /** An API key with every scope. */
  readonly key: string;
  /** Also ends every remaining process. */
  readonly remove: () => void;
}

/** A folder with key files, and an API key in the database: everything that processes need to form one node. */
export async function premisesOn(
  database: Pick<TestDatabase, 'url'>,
  signer: NodeConfig['signer'] = 'file',
): Promise<Premises> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-node-'));
  const keysFile = join(folder, 'keys.json');
  const commitmentSecretFile = join(folder, 'commitment-secrets.json');
  const files = { databaseUrl: database.url, nodeId: 'node-test', keysFile, commitmentSecretFile, signer };
  createKeyMaterial(files, new Date());
  const key = generateApiKey();
  const store = await openStore({ databaseUrl: database.url, queueLimit: 1 });
  const { tenantId } = await store.tenants.createTenant('tenant of processes');
  await store.tenants.createApiKey({ tenantId, keyHash: hashApiKey(key), prefix: apiKeyPrefix(key), scopes: SCOPES });
  await store.close();
  return {
    folder,
    key,
    env: {
      DATABASE_URL: database.url,
      KEYS_FILE: keysFile,
      COMMITMENT_SECRET_FILE: commitmentSecretFile,
      LOG_LEVEL: 'trace',
    },
    remove: () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
