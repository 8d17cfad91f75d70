import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { COUNTING_SETTINGS, startStatementTap, type DatabaseWork } from './statement-tap.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** An empty database of one test. */
export interface TestDatabase {
  readonly url: string;
  /** Runs one statement over a separate connection. */
  readonly query: (sql: string) => Promise<Rows>;
  /** All that is stored in it, as text that a test can search. */
  readonly everything: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** A file that does not exist yet, in a folder that does not exist yet. */
export async function sqliteTestDatabase(): Promise<TestDatabase & { readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-sql-store-'));
  const path = join(folder, 'data', 'test.sqlite');
  return {
    path,
    url: `sqlite:${path}`,
    query: async (sql) => {
      const file = new Sqlite(path);
      try {
        const statement = file.prepare<[], Record<string, unknown>>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        file.close();
      }
    },
    everything: async () =>
      readdirSync(dirname(path))
        .map((name) => readFileSync(join(dirname(path), name), 'latin1'))
        .join('\n'),
    remove: async () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * A database in a PostgreSQL server.
 * @param server its URL; by default the one that the workspace's `test/global-setup.mjs` started
 */
export async function postgresTestDatabase(server = process.env['TEST_POSTGRES_URL']): Promise<TestDatabase> {
  if (server === undefined) throw new Error('TEST_POSTGRES_URL is not set: test/global-setup.mjs did not run');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    url,
    query: (sql) => query(url, sql),
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

/** A PostgreSQL database that counts the statements which come by its URL, and the rows that they read. */
export interface CountedDatabase extends TestDatabase {
  /** The work since the last call. */
  readonly work: () => DatabaseWork;
}

export async function countedTestDatabase(): Promise<CountedDatabase> {
  const database = await postgresTestDatabase();
  const url = new URL(database.url);
  // Stores are filled by thousands of statements: a connection for each costs more than the statements.
  const client = new pg.Client(database.url);
  await client.connect();
  for (const setting of COUNTING_SETTINGS) {
    await client.query(`alter database ${url.pathname.slice(1)} set ${setting}`);
  }
  // It changes plans between two requests. Only the whole server has this setting.
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  const tap = await startStatementTap({ host: url.hostname, port: Number(url.port) });
  return {
    ...database,
    url: Object.assign(new URL(url), { port: String(tap.port) }).href,
    work: tap.take,
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    remove: async () => {
      await client.end();
      await tap.close();
      await database.remove();
    },
  };
}

async function query(url: string, sql: string): Promise<Rows> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
