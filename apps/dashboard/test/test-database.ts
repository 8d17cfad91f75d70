import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

/** A database to test on, and all that is in it as text, so that a test can search it. */
export interface TestDatabase {
  readonly url: string;
  readonly everything: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** A file that does not exist yet, in a folder that does not exist yet. */
export async function sqliteTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-dashboard-'));
  const path = join(folder, 'data', 'dashboard.db');
  return {
    url: `sqlite:${path}`,
    everything: async () =>
      readdirSync(dirname(path))
        .map((name) => readFileSync(join(dirname(path), name), 'latin1'))
        .join('\n'),
    remove: async () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/** An empty database in the server that `global-setup.mjs` started. */
export async function postgresTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: test/global-setup.mjs did not run');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    url,
    everything: async () => {
      const tables = await query(url, "select tablename from pg_tables where schemaname = 'public'");
      const rows = await Promise.all(tables.map(({ tablename }) => query(url, `select * from "${String(tablename)}"`)));
      return JSON.stringify(rows);
    },
    remove: async () => {
      await query(server, `drop database ${name} with (force)`);
    },
  };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
