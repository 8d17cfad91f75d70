import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { connectionOf } from './connection.js';
import { DATABASE_URL_RULE, locationOf, type DatabaseLocation, type Dialect } from './database-url.js';
import { SqlitePlace } from './sqlite-place.js';
import { probeWrite } from './write-probe.js';
import { isContention, StoreError, storeErrorOf } from './store-error.js';

export type { Dialect };

/** Time for which contended work is retried, in ms; other requests are served between the attempts. */
const CONTENTION_RETRY_MS = 5_000;
const MAX_PAUSE_MS = 25;
const QUERY_TIMEOUT_MS = 30_000;
/** Maximum time for which a process that is suspended within a transaction keeps its locks, in ms. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Timeout of statements that change the schema: building an index on a large table is slow. */
const SCHEMA_CHANGE_TIMEOUT_MS = 6 * 60 * 60_000;

/** An SQLite or PostgreSQL database behind one query builder. Every method throws StoreError and nothing else. */
export class Database {
  readonly dialect: Dialect;
  /** For a library that needs the query builder itself, such as a rate limiter; it throws errors of drivers. */
  readonly knex: Knex;
  readonly #location: DatabaseLocation;
  /** Null on PostgreSQL. */
  readonly #place: SqlitePlace | null;
  readonly #idleMs: number;
  /** Whether work failed since the last successful transaction: it may have been a write. */
  #mayBeUnwritable = false;

  /**
   * Connects when the first statement runs.
   * @param databaseUrl `sqlite:PATH`, the file made when it does not exist, or `postgres://...`
   * @param timeouts on PostgreSQL, in ms. `queryMs`: of a statement. `idleMs`: of the pause between two statements of a
   *   transaction, after which the server rolls it back
   * @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE
   */
  constructor(
    databaseUrl: string,
    { queryMs = QUERY_TIMEOUT_MS, idleMs = IDLE_IN_TRANSACTION_MS }: { queryMs?: number; idleMs?: number } = {},
  ) {
    const location = locationOf(databaseUrl);
    if (location === undefined) throw new StoreError('STORE_URL_INVALID', `DATABASE_URL: ${DATABASE_URL_RULE}`);
    this.dialect = location.dialect;
    this.knex = knex(connectionOf(location, queryMs));
    this.#place = location.dialect === 'sqlite' ? new SqlitePlace(location.path) : null;
    this.#location = location;
    this.#idleMs = idleMs;
  }

  /**
   * Runs `work`, and repeats it when the database rolled it back because of concurrent work.
   * @throws StoreError STORE_UNAVAILABLE, STORE_ROW_REFUSED, and any StoreError that `work` throws
   */
  async run<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    return await this.#repeat(() => work(this.knex));
  }

  async #repeat<T>(work: () => Promise<T>): Promise<T> {
    for (const deadline = performance.now() + CONTENTION_RETRY_MS; ;) {
      try {
        this.#place?.assertKept();
        return await work();
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
    return await this.#transact(this.knex, work);
  }

  /** Runs `work` as `transaction` does, in statements that may take hours. */
  async changeSchema<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    if (this.dialect === 'sqlite') return await this.transaction(work);
    const patient = knex(connectionOf(this.#location, SCHEMA_CHANGE_TIMEOUT_MS));
    try {
      return await this.#transact(patient, work);
    } finally {
      await patient.destroy();
    }
  }

  async #transact<T>(db: Knex, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    const result = await this.#repeat(() =>
      db.transaction(async (transaction) => {
        // Sent together with the first statement of the work, whose own error is the one to report.
        const limited = this.#limitIdleTime(transaction);
        limited.catch(ignoreError);
        const done = await work(transaction);
        await limited;
        return done;
      }),
    );
    this.#mayBeUnwritable = false;
    return result;
  }

  async #limitIdleTime(transaction: Knex.Transaction): Promise<void> {
    if (this.dialect === 'sqlite') return;
    // Of this transaction only: a pooler gives the connection to others afterwards.
    await transaction.raw(`set local idle_in_transaction_session_timeout = ${this.#idleMs}`);
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

function ignoreError(): void {
  return undefined;
}
