import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownPostgresServer } from '@cer/sql-store/testing';

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
    await promisify(execFile)(process.execPath, [SCRIPT, DATABASE_URL, join(folder, 'data')]);
  },
  restore: async ({ DATABASE_URL = '' }, folder) => {
    const { password, pathname } = new URL(DATABASE_URL);
    const server = await ownPostgresServer({ restored: { data: join(folder, 'data'), password } });
    return { url: Object.assign(new URL(server.url), { pathname }).href, stop: server.stop };
  },
};
