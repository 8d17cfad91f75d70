import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runMain, startMain, type Running } from './node-process.js';

const MAIN = join(__dirname, '../../dashboard/src/main.ts');
const TENANT = 'Acme';

export const SERVICE_TOKEN = 'credential-of-the-test-services';

/** The real control plane in a separate process, with one account. */
export interface Dashboard {
  readonly url: string;
  /** Its database, a SQLite file. */
  readonly databaseFile: string;
  /** The environment of a node that asks it. */
  readonly env: Readonly<Record<'CONTROL_PLANE_URL' | 'CONTROL_PLANE_TOKEN_FILE', string>>;
  /** Runs one of its commands. @returns what it printed */
  readonly command: (...words: readonly string[]) => Promise<string>;
  /** An API key of the account. */
  readonly newKey: () => Promise<string>;
  /** Gives the account a plan. */
  readonly limitTo: (limits: {
    readonly requestsPerMinute?: number;
    readonly executionsPerMonth?: number;
  }) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param more of its environment */
export async function startDashboardProcess(more: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-dashboard-'));
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, SERVICE_TOKEN, { mode: 0o600 });
  const databaseFile = join(folder, 'dashboard.sqlite');
  const env = {
    DATABASE_URL: `sqlite:${databaseFile}`,
    PUBLIC_URL: 'http://localhost:4400',
    SERVICE_TOKEN_FILE: tokenFile,
    JWKS_KEYS_FILE: join(folder, 'jwks.json'),
    PORT: '0',
    ...more,
  };
  const command = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runMain(MAIN, words, env);
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  await command('tenant', 'create', '--name', TENANT);
  const running: Running & { readonly url: string } = await startMain(MAIN, env);
  return {
    url: running.url,
    databaseFile,
    env: { CONTROL_PLANE_URL: running.url, CONTROL_PLANE_TOKEN_FILE: tokenFile },
    command,
    newKey: () => command('api-key', 'create', '--tenant', TENANT, '--scopes', 'certify,render'),
    limitTo: async ({ requestsPerMinute, executionsPerMonth }) => {
      await command(
        ...['plan', 'put', '--name', 'Tested'],
        ...(requestsPerMinute === undefined ? [] : ['--requests-per-minute', String(requestsPerMinute)]),
        ...(executionsPerMonth === undefined ? [] : ['--executions-per-month', String(executionsPerMonth)]),
      );
      await command('plan', 'assign', '--tenant', TENANT, '--plan', 'Tested');
    },
    stop: async () => {
      running.kill('SIGTERM');
      await running.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
