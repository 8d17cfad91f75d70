import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtProgram } from '@cer/http-service/testing';

/** The node as a separate process, with its own database and keys. */
export interface NodeProcess {
  readonly url: string;
  /** Sends JSON with the node's API key. @throws Error when it is refused */
  post(path: string, body: unknown): Promise<Readonly<Record<string, unknown>>>;
  /** An act of the operator. @throws Error when it is refused */
  administer(path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

const MAIN = 'apps/node/src/main.ts';

export async function startNodeProcess(): Promise<NodeProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-verifier-node-'));
  const adminSecret = 'a secret of this test';
  const env = {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'commitment-secrets.json'),
    ADMIN_SECRET: adminSecret,
  };
  const command = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram(MAIN), ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`node ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  command('init');
  command('migrate');
  const apiKey = command('api-key', 'create', '--tenant', 'newsroom');
  const child = spawn(process.execPath, [builtProgram(MAIN)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await listeningUrl(child);
  return {
    url,
    post: async (path, body) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Readonly<Record<string, unknown>>;
    },
    administer: async (path, body) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'x-admin-secret': adminSecret, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    if (msg === 'listening' && url !== undefined) {
      // Its later log lines must not fill the pipe.
      child.stdout.resume();
      return url;
    }
  }
  throw new Error('the node ended before it listened');
}
