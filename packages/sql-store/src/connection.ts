import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import type { DatabaseLocation } from './database-url.js';
import { storeErrorOf } from './store-error.js';

/** Maximum wait, in ms, for another process's commit. It blocks the event loop, so it is short. */
const BUSY_TIMEOUT_MS = 100;
const POOL_LIMIT = 10;
const CONNECT_TIMEOUT_MS = 5_000;

const PRAGMAS: readonly string[] = [
  `busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'secure_delete = ON',
];

/** Knex logs bind values, so its logger is silenced; failures still throw. */
const SILENT: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

function ignore(): void {
  return undefined;
}

interface SqliteConnection {
  pragma(text: string): unknown;
}

/**
 * How Knex connects. Makes the SQLite file, readable by its owner only, when it does not exist.
 * @param queryMs maximum time of a statement on PostgreSQL
 * @throws StoreError STORE_UNAVAILABLE when the file cannot be made
 */
export function connectionOf(location: DatabaseLocation, queryMs: number): Knex.Config {
  return location.dialect === 'sqlite' ? sqliteConfig(location.path) : postgresConfig(location.url, queryMs);
}

function sqliteConfig(path: string): Knex.Config {
  createPrivateFile(path);
  return {
    client: 'better-sqlite3',
    log: SILENT,
    connection: { filename: path },
    useNullAsDefault: true,
    acquireConnectionTimeout: CONNECT_TIMEOUT_MS,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (connection: SqliteConnection, done: (error: unknown, connection: unknown) => void) => {
        for (const pragma of PRAGMAS) connection.pragma(pragma);
        done(null, connection);
      },
    },
  };
}

/** SQLite would make the file readable for every user; its -wal and -shm files take the mode of this one. */
function createPrivateFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw storeErrorOf(error);
  }
}

interface PostgresConnection {
  readonly connection: { readonly stream: { readonly destroyed: boolean } };
}

/** Knex finds a closed connection only after the turn of the event loop that closes it. */
function isOpen({ connection }: PostgresConnection): boolean {
  return !connection.stream.destroyed;
}

function postgresConfig(connectionString: string, queryMs: number): Knex.Config {
  const connection = {
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryMs,
    keepAlive: true,
    // Closes the connection of a statement that was given up. Otherwise the next one would wait behind it.
    pipeline: true,
  };
  return {
    client: 'pg',
    log: SILENT,
    connection,
    acquireConnectionTimeout: CONNECT_TIMEOUT_MS,
    pool: { min: 0, max: POOL_LIMIT, validate: isOpen },
  };
}
