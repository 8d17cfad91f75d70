import type { NewRecord } from '../ports/records.js';
import { StoreError } from '../ports/store-error.js';
import type { WriteHealth } from './write-health.js';

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** One statement of a transaction. */
export interface SqlStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** The number of rows that it must return; the transaction is rolled back when it returns another. */
  readonly mustReturn?: number;
  /** The number of rows that it must change, of a statement that returns none. */
  readonly mustChange?: number;
}

/** The result of a statement. */
export interface SqlAnswer {
  readonly rows: readonly SqlRow[];
  /** Rows that it changed, where it returned none. */
  readonly changed: number;
}

/** Plain DDL for one schema version, compiled for one database. */
export interface CompiledMigration {
  readonly version: number;
  /** The oldest schema whose releases can run with it. */
  readonly oldestSchema: number;
  readonly sql: string;
}

/**
 * The differences of the two databases; all other SQL is shared (`$1` placeholders, `on conflict`, `returning`). Every
 * method throws only StoreError.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  readonly writes: WriteHealth;

  /** Runs one statement in its own transaction; durable when it resolves. */
  all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;

  /**
   * Runs statements in one transaction, all or none; durable when it resolves.
   * @returns the rows of each statement
   * @throws StoreError STORE_CONDITION_FAILED when a statement returned or changed another number of rows than it must
   */
  transact(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]>;

  /**
   * Inserts rows with different keys, each atomically with its execution row; durable when it resolves.
   * @returns for each row whether it was inserted; false means that its key was taken by a committed row
   * @throws StoreError STORE_ROW_REFUSED when any of the rows is rejected
   */
  insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]>;

  /**
   * Applies missing `migrations` under a lock, so that nodes may start concurrently.
   * @returns the resulting schema version
   * @throws StoreError STORE_SCHEMA_TOO_NEW when the database has a later step that is incompatible with `migrations`
   */
  migrate(migrations: readonly CompiledMigration[]): Promise<number>;

  /** Called after rows were erased, to remove remaining copies where the database supports it. */
  purgeErased(): Promise<void>;

  /** Rewrites the tables with erased rows; blocks other writers. */
  compact(): Promise<void>;

  close(): Promise<void>;
}

/** @throws StoreError STORE_CONDITION_FAILED */
export function assertCondition({ mustReturn, mustChange }: SqlStatement, { rows, changed }: SqlAnswer): void {
  if ((mustReturn ?? rows.length) === rows.length && (mustChange ?? changed) === changed) return;
  throw new StoreError('STORE_CONDITION_FAILED', 'the row has changed since it was read: read it again');
}
