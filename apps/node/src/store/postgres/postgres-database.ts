import { driverCodeOf, notAvailable } from '@cer/sql-store/driver-code';
import { StoreError, storeErrorOf } from '@cer/sql-store/store-error';
import pg from 'pg';

import {
  assertCondition,
  type CompiledMigration,
  type Database,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../sql/database.js';
import type { NewRecord } from '../ports/records.js';
import { recordKey } from '../sql/record-rows.js';
import {
  APPLIED_STEPS,
  pendingMigrations,
  PRESENT_TABLES,
  SCHEMA_TABLES,
  STEPS_OF_OTHERS,
} from '../sql/schema-version.js';
import { WriteHealth } from '../sql/write-health.js';
import { IN_TRANSACTION, insertExecutions, insertUnclaimed, type Batch, type Query } from './batch-insert.js';

const POOL_LIMIT = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;
/**
 * Maximum time for which a node that is suspended within a transaction keeps its locks, in ms; that of a lease of the
 * log.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Timeout of schema steps: building an index on a large table is slow. */
const MIGRATION_TIMEOUT_MS = 6 * 60 * 60_000;
const LOCK_TIMEOUT_MS = 2_000;

/**
 * A row that describes no step: a node that migrates holds a write lock on it until its transaction ends, also by a
 * crash. A row works where advisory locks do not: on databases that only speak PostgreSQL's protocol.
 */
const LOCK_ROW = 'insert into schema_compatibility values (0, 0) on conflict (version) do nothing';
const TAKE_LOCK = 'update schema_compatibility set oldest_schema = 0 where version = 0';

/**
 * pg and its pool leave a connection open on which the client gave up, as where the server asks for a password and there
 * is none: it takes a place of the server's `max_connections` for its `authentication_timeout`.
 */
class EndingClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client: pg.Client) => void): Promise<pg.Client> | void {
    if (callback === undefined) return super.connect();
    super.connect((error: Error | null) => {
      if (error !== null) void this.end();
      callback(error, this);
    });
  }
}

/** A PostgreSQL database, shared by any number of nodes. */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly writes = new WriteHealth();
  readonly #pool: pg.Pool;
  readonly #queryTimeoutMs: number;
  readonly #begin: string;
  #closed = false;

  /**
   * @param connectionString `postgres://...`; connects at the first statement
   * @param timeouts in ms. `queryMs`: of a statement, also within a transaction; schema steps have their own. `idleMs`: of
   *   the pause between two statements of a transaction, after which the server rolls it back
   */
  constructor(
    connectionString: string,
    { queryMs = QUERY_TIMEOUT_MS, idleMs = IDLE_IN_TRANSACTION_MS }: { queryMs?: number; idleMs?: number } = {},
  ) {
    this.#queryTimeoutMs = queryMs;
    // One round trip, and of this transaction only: a pooler gives the connection to others afterwards.
    this.#begin = `begin; set local idle_in_transaction_session_timeout = ${idleMs}; ${IN_TRANSACTION.set}`;
    this.#pool = new pg.Pool({
      Client: EndingClient,
      connectionString,
      max: POOL_LIMIT,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: queryMs,
      keepAlive: true,
      // Statements are sent at once; the server runs them in order.
      pipeline: true,
    });
    // The server ended an idle connection: the pool has removed it, and the next statement gets a new one.
    this.#pool.on('error', ignoreError);
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return await this.#query(sql, values);
  }

  async transact(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]> {
    const answers = await this.#inTransaction(async (query) => {
      const found: (readonly SqlRow[])[] = [];
      for (const statement of statements) {
        const { rows, rowCount } = await query(statement.sql, [...statement.values]);
        assertCondition(statement, { rows, changed: rowCount ?? 0 });
        found.push(rows);
      }
      return found;
    }, this.#queryTimeoutMs);
    this.writes.noteSuccess();
    return answers;
  }

  async insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]> {
    // Sorted, so that batches with common keys may wait for each other but never deadlock.
    const keyed = records.map((record) => ({ record, key: recordKey(record) }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
    const sorted = keyed.map(({ record }) => record);
    const executions = sorted.filter(({ executionId }) => executionId !== null);
    const unclaimed = sorted.filter(({ executionId }) => executionId === null);
    const inserted = await this.#inBatch(async (batch) => {
      // The commit follows the last statement of the second insert, if there are two.
      const first = unclaimed.length === 0 ? batch : { ...batch, finish: batch.query };
      return new Set([
        ...(executions.length === 0 ? [] : await insertExecutions(first, executions)),
        ...(unclaimed.length === 0 ? [] : await insertUnclaimed(batch, unclaimed)),
      ]);
    });
    this.writes.noteSuccess();
    return records.map((record) => inserted.has(record));
  }

  async migrate(migrations: readonly CompiledMigration[]): Promise<number> {
    const missing = pendingMigrations(await this.#applied(), migrations);
    if (missing.pending.length === 0) return missing.version;
    await this.#createLockRow();
    return await this.#inTransaction(async (query) => {
      await query(TAKE_LOCK);
      // Other nodes are running: a step that would wait for a long transaction does not block them and is retried.
      await query(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      // Read again: another node may have migrated concurrently.
      const left = pendingMigrations((await query(APPLIED_STEPS)).rows, migrations);
      for (const { version, oldestSchema, sql } of left.pending) {
        await query(sql);
        await query('insert into schema_versions (version) values ($1)', [version]);
        await query('insert into schema_compatibility values ($1, $2)', [version, oldestSchema]);
      }
      return left.version;
    }, MIGRATION_TIMEOUT_MS);
  }

  async #createLockRow(): Promise<void> {
    for (const table of SCHEMA_TABLES) {
      // When several nodes create it at once, PostgreSQL refuses all but one: those find it at the next attempt.
      await this.#query(table, []).catch(() => this.#query(table, []));
    }
    await this.#query(LOCK_ROW, []);
  }

  /**
   * Without the lock, so that a node whose database role cannot change tables can start on a migrated database; and
   * without creating a table, which a database of another service would keep.
   */
  async #applied(): Promise<readonly SqlRow[]> {
    const [present] = await this.#query(PRESENT_TABLES, []);
    if (present?.['versions'] === null) return [];
    return await this.#query(present?.['compatibility'] === null ? STEPS_OF_OTHERS : APPLIED_STEPS, []);
  }

  async purgeErased(): Promise<void> {
    // PostgreSQL removes deleted rows only when it vacuums.
  }

  async compact(): Promise<void> {
    try {
      const statement = { text: 'vacuum full records, projects, log_leaves', query_timeout: MIGRATION_TIMEOUT_MS };
      await this.#pool.query(statement);
    } catch (error) {
      throw translated(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }

  async #query(sql: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
    if (this.#closed) throw new StoreError('STORE_CLOSED', 'the store is closed');
    try {
      return (await this.#pool.query<SqlRow>(sql, [...values])).rows;
    } catch (error) {
      throw this.writes.noteFailure(translated(error));
    }
  }

  async #inTransaction<T>(
    work: (query: (sql: string, values?: unknown[]) => Promise<pg.QueryResult<SqlRow>>) => Promise<T>,
    queryTimeoutMs: number,
  ): Promise<T> {
    return await this.#withClient(async (client) => {
      await client.query(this.#begin);
      const result = await work(async (sql, values) => {
        const statement = { text: sql, values, query_timeout: queryTimeoutMs };
        return await client.query<SqlRow>(statement);
      });
      await client.query('commit');
      return result;
    });
  }

  /**
   * A transaction that does not wait for the answers to its begin and its commit: two round trips less. Its statements do
   * nothing where the begin failed, and the commit of a transaction in which a statement failed is a rollback.
   */
  async #inBatch<T>(work: (batch: Batch) => Promise<T>): Promise<T> {
    return await this.#withClient(async (client) => {
      const begun = client.query(this.#begin);
      begun.catch(ignoreError);
      let committed: Promise<unknown> | undefined;
      const query: Query = async (sql, values) => (await client.query<SqlRow>(sql, values)).rows;
      const finish: Query = async (sql, values) => {
        const rows = query(sql, values);
        committed = client.query('commit');
        committed.catch(ignoreError);
        return await rows;
      };
      const result = await work({ query, finish });
      await begun;
      await (committed ?? client.query('commit'));
      return result;
    });
  }

  /** @throws StoreError */
  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      const client = await this.#pool.connect();
      // The pool listens only while it holds the client. A lost connection also fails the statement that runs or is next.
      client.on('error', ignoreError);
      try {
        const result = await work(client);
        client.off('error', ignoreError);
        client.release();
        return result;
      } catch (error) {
        // Closing the connection rolls back from any state. The listener stays: closing may fail too.
        client.release(true);
        throw error;
      }
    } catch (error) {
      throw this.writes.noteFailure(translated(error));
    }
  }
}

function ignoreError(): void {
  // An `error` event without a listener ends the process, and so does a rejected promise without a handler.
}

function translated(error: unknown): StoreError {
  const code = driverCodeOf(error);
  // A lock is not free: repeated like a conflict, but where it stays so an operator has to find its holder.
  if (code === '55P03') return new StoreError('STORE_CONTENDED', notAvailable(code), code);
  // Serialization failure, deadlock.
  return /^(40001|40P01)$/.test(code)
    ? new StoreError('STORE_CONTENDED', `conflicting transactions (${code})`, code)
    : storeErrorOf(error);
}
