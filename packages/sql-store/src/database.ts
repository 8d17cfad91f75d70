import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { connectionOf } from './connection.js';
import { DATABASE_URL_RULE, locationOf, type Dialect } from './database-url.js';
import { probeWrite } from './write-probe.js';
import { isContention, StoreError, storeErrorOf } from './store-error.js';

export type { Dialect };

/** Time for which contended work is retried, in ms; other requests are served between the attempts. */
const CONTENTION_RETRY_MS = 5_000;
const MAX_PAUSE_MS = 25;

/** An SQLite or PostgreSQL database behind one query builder. Every method throws StoreError and nothing else. */
export class Database {
  readonly dialect: Dialect;
  /** For a library that needs the query builder itself, such as a rate limiter; it throws errors of drivers. */
  readonly knex: Knex;
  /** Whether work failed since the last successful transaction: it may have been a write. */
  #mayBeUnwritable = false;

  /**
   * Connects when the first statement runs.
   * @param databaseUrl `sqlite:PATH`, the file made when it does not exist, or `postgres://...`
   * @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE
   */
  constructor(databaseUrl: string) {
    const location = locationOf(databaseUrl);
    if (location === undefined) throw new StoreError('STORE_URL_INVALID', `DATABASE_URL: ${DATABASE_URL_RULE}`);
    this.dialect = location.dialect;
    this.knex = knex(connectionOf(location));
  }

  /**
   * Runs `work`, and repeats it when the database rolled it back because of concurrent work.
   * @throws StoreError STORE_UNAVAILABLE, STORE_ROW_REFUSED, and any StoreError that `work` throws
   */
  async run<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    for (const deadline = performance.now() + CONTENTION_RETRY_MS; ;) {
      try {
        return await work(this.knex);
      } catch (error) {
        if (!isContention(error) || performance.now() > deadline) throw this.#noted(storeErrorOf(error));
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  /**
   * Runs `work` in one transaction, repeated as `run` repeats. Its first statement must write: SQLite then waits for
   * another process's commit, which it cannot do once it has read.
   */
  async transaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    const result = await this.run((db) => db.transaction(work));
    this.#mayBeUnwritable = false;
    return result;
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await this.run(async (db) => {
      await db.raw('select 1');
    });
  }

  /**
   * Resolves when the last write succeeded. After failed work a row is written to `write_probes` to find out.
   * @throws StoreError STORE_UNAVAILABLE when it cannot be written, for example because the disk is full
   */
  async proveWritable(): Promise<void> {
    if (!this.#mayBeUnwritable) return;
    await this.run(probeWrite);
    this.#mayBeUnwritable = false;
  }

  #noted(error: StoreError): StoreError {
    if (error.code === 'STORE_UNAVAILABLE') this.#mayBeUnwritable = true;
    return error;
  }

  async close(): Promise<void> {
    await this.knex.destroy();
  }
}
