import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { runNode, type NodeEnvironment } from '../node-process.js';

/** Backs up a database and restores it in another location. */
export interface KeptDatabase {
  readonly backUp: (env: NodeEnvironment, folder: string) => Promise<void>;
  /** @returns the URL of the restored database, and a function that stops its server */
  readonly restore: (env: NodeEnvironment, folder: string) => Promise<{ url: string; stop: () => Promise<void> }>;
}

export const keptSqlite: KeptDatabase = {
  backUp: async (env, folder) => {
    await runCommand(['backup', '--out', join(folder, 'backup.sqlite')], env);
  },
  restore: async (env, folder) => {
    const url = `sqlite:${join(folder, 'restored', 'node.sqlite')}`;
    await runCommand(['restore', '--from', join(folder, 'backup.sqlite')], { ...env, DATABASE_URL: url });
    return { url, stop: async () => undefined };
  },
};

async function runCommand(args: readonly string[], env: NodeEnvironment): Promise<void> {
  const { code, stdout, stderr } = await runNode(args, env);
  if (code !== 0 || !stdout.startsWith('made ')) throw new Error(stderr);
}

const SCRIPT = join(__dirname, 'base-backup.mjs');

export const keptPostgres: KeptDatabase = {
  backUp: async ({ DATABASE_URL = '' }, folder) => {
    await promisify(execFile)(process.execPath, [SCRIPT, 'take', DATABASE_URL, join(folder, 'data')]);
  },
  restore: async ({ DATABASE_URL = '' }, folder) => {
    const args = [SCRIPT, 'serve', DATABASE_URL, join(folder, 'data')];
    const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const [url] = (await once(server.stdout.setEncoding('utf8'), 'data')) as string[];
    if (url === undefined) throw new Error('the restored server has no URL');
    const stop = async (): Promise<void> => {
      const ended = once(server, 'close');
      server.stdin.end();
      await ended;
    };
    return { url: url.trim(), stop };
  },
};
