import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { driverCodeOf, StoreError, storeErrorOf } from './store-error.js';

export type Dialect = 'sqlite' | 'postgres';

/** How long a statement waits for another process's commit. It blocks the event loop meanwhile, so it is short. */
const BUSY_TIMEOUT_MS = 100;
/** How long work that met one is tried again, other requests being served between. */
const BUSY_RETRY_MS = 5_000;
const MAX_PAUSE_MS = 25;
const POOL_LIMIT = 10;
const CONNECT_TIMEOUT_MS = 5_000;

/** A database behind one query builder. Whatever fails in it leaves as a StoreError. */
export class Database {
  readonly dialect: Dialect;
  readonly knex: Knex;

  /** @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE */
  constructor(databaseUrl: string) {
    const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1];
    if (path !== undefined && path !== ':memory:') {
      this.dialect = 'sqlite';
      this.knex = knex(sqliteConfig(path));
    } else if (/^postgres(ql)?:\/\//.test(databaseUrl)) {
      this.dialect = 'postgres';
      this.knex = knex(postgresConfig(databaseUrl));
    } else {
      throw new StoreError('STORE_URL_INVALID', 'DATABASE_URL: must be sqlite:PATH or postgres://...');
    }
  }

  /** Repeats `work` while another process holds SQLite's write lock: it was rolled back then. */
  async run<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    for (const deadline = performance.now() + BUSY_RETRY_MS; ;) {
      try {
        return await work(this.knex);
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw storeErrorOf(error);
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  /**
   * Runs `work` in one transaction. Its first statement must write: SQLite then waits for another process's commit,
   * which it cannot do once it has read.
   */
  async transaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.run((db) => db.transaction(work));
  }

  async close(): Promise<void> {
    await this.knex.destroy();
  }
}

function isBusy(error: unknown): boolean {
  return driverCodeOf(error).startsWith('SQLITE_BUSY');
}

interface SqliteConnection {
  pragma(text: string): unknown;
}

/** The query builder's own words quote what it was given; what fails is told by the error it throws. */
const SILENT: Knex.Logger = { warn: nothing, error: nothing, deprecate: nothing, debug: nothing };

function nothing(): void {
  return undefined;
}

function sqliteConfig(path: string): Knex.Config {
  makePrivately(path);
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
        for (const setting of [`busy_timeout = ${BUSY_TIMEOUT_MS}`, 'journal_mode = WAL', 'synchronous = FULL']) {
          connection.pragma(setting);
        }
        connection.pragma('foreign_keys = ON');
        connection.pragma('secure_delete = ON');
        done(null, connection);
      },
    },
  };
}

/** SQLite would make the file readable for all; its -wal and -shm files take the mode of this one. */
function makePrivately(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw storeErrorOf(error);
  }
}

function postgresConfig(connectionString: string): Knex.Config {
  return {
    client: 'pg',
    log: SILENT,
    connection: { connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true },
    acquireConnectionTimeout: CONNECT_TIMEOUT_MS,
    pool: { min: 0, max: POOL_LIMIT },
  };
}
