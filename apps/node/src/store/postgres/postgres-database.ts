import pg from 'pg';

import type { CompiledMigration, Database, SqlRow, SqlValue } from '../database.js';
import type { NewRecord } from '../ports.js';
import { recordKey } from '../record-rows.js';
import { pendingMigrations, SCHEMA_TABLE } from '../schema-version.js';
import { driverCodeOf, StoreError } from '../store-error.js';
import { columnArrays, INSERT_EXECUTIONS, INSERT_UNCLAIMED } from './batch-insert.js';

const POOL_LIMIT = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;

/** Any number will do, as long as every node takes the same one. */
const MIGRATION_LOCK = 4_100;

/** A PostgreSQL database, shared by any number of nodes. */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly #pool: pg.Pool;
  #closed = false;

  /** @param connectionString `postgres://...`; no connection is made before the first statement */
  constructor(connectionString: string) {
    this.#pool = new pg.Pool({
      connectionString,
      max: POOL_LIMIT,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    });
    // An idle connection that the server ended: the pool has dropped it, the next statement gets a new one.
    this.#pool.on('error', () => undefined);
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return await this.#query(sql, values);
  }

  async insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]> {
    // In one order everywhere: two batches that share keys then wait for each other, but never in a circle.
    const keyed = records.map((record) => ({ record, key: recordKey(record) }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
    const inserted = new Set<NewRecord>();
    for (const [sql, rows] of [
      [INSERT_EXECUTIONS, keyed.filter(({ record }) => record.executionId !== null)],
      [INSERT_UNCLAIMED, keyed.filter(({ record }) => record.executionId === null)],
    ] as const) {
      if (rows.length === 0) continue;
      for (const { position } of await this.#query(sql, columnArrays(rows.map(({ record }) => record)))) {
        const row = rows[Number(position) - 1];
        if (row !== undefined) inserted.add(row.record);
      }
    }
    return records.map((record) => inserted.has(record));
  }

  async migrate(migrations: readonly CompiledMigration[]): Promise<number> {
    const { current, pending } = pendingMigrations(await this.#version(), migrations);
    if (pending.length === 0) return current;
    return await this.#inTransaction(async (query) => {
      await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await query(SCHEMA_TABLE);
      // Read again: another node may have been faster.
      const [row] = await query('select max(version) as version from schema_versions');
      const left = pendingMigrations(row, migrations);
      for (const { version, sql } of left.pending) {
        await query(sql);
        await query('insert into schema_versions (version) values ($1)', [version]);
      }
      return left.pending.at(-1)?.version ?? left.current;
    });
  }

  /** Without the lock, so that a node whose database role may not change tables can start on a migrated database. */
  async #version(): Promise<SqlRow | undefined> {
    const [table] = await this.#query("select to_regclass('schema_versions')::text as name", []);
    if (table?.['name'] === null) return undefined;
    const [row] = await this.#query('select max(version) as version from schema_versions', []);
    return row;
  }

  purgeErased(): void {
    // PostgreSQL frees erased rows when it vacuums; nothing in its reach does it sooner.
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
      throw translated(error);
    }
  }

  async #inTransaction<T>(
    work: (query: (sql: string, values?: unknown[]) => Promise<readonly SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    try {
      const client = await this.#pool.connect();
      try {
        await client.query('begin');
        const result = await work(async (sql, values) => (await client.query<SqlRow>(sql, values)).rows);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        // Ending the connection rolls back, whatever state it is in.
        client.release(true);
        throw error;
      }
    } catch (error) {
      throw translated(error);
    }
  }
}

/** PostgreSQL quotes rows in its messages and details: only the code of its error is kept. */
function translated(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = driverCodeOf(error);
  // Serialization failure, deadlock, lock not available.
  if (/^(40001|40P01|55P03)$/.test(code)) {
    return new StoreError('STORE_CONTENDED', `other transactions got in the way (${code})`);
  }
  // Data, constraint and size limit: the row's fault.
  if (error instanceof pg.DatabaseError && /^(22|23|54)/.test(code)) {
    return new StoreError('STORE_ROW_REFUSED', `the database refused a row (${code})`);
  }
  return new StoreError('STORE_UNAVAILABLE', `the database is not available (${code})`);
}
