import type { NewRecord } from '../ports/records.js';

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** One statement of a transaction. */
export interface SqlStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Plain DDL for one schema version, compiled for the database at hand. */
export interface CompiledMigration {
  readonly version: number;
  /** The oldest schema whose releases can run beside it. */
  readonly oldestSchema: number;
  readonly sql: string;
}

/**
 * What the two databases do differently; everything else is SQL text that both take (`$1` placeholders, `on conflict`,
 * `returning`). Every method throws a StoreError and nothing else.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';

  /** Runs one statement in its own transaction; durable when it resolves. */
  all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;

  /**
   * Runs statements in one transaction, all or none; durable when it resolves.
   * @returns the rows that each of them answered
   */
  transact(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]>;

  /**
   * Inserts rows with different keys, each with its execution row or not at all, durable when it resolves.
   * @returns for each row whether it was inserted; false means that its key was taken by a committed row
   * @throws StoreError STORE_ROW_REFUSED when one of the rows is at fault; then it may be any of them
   */
  insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]>;

  /**
   * Brings the schema up to the last of `migrations`, under a lock, so that nodes may start at once.
   * @returns the version that the database is at now
   * @throws StoreError STORE_SCHEMA_TOO_NEW when the database has a later step that does not go with `migrations`
   */
  migrate(migrations: readonly CompiledMigration[]): Promise<number>;

  /** Called after rows were erased, so that no copy stays behind where the database can help it. */
  purgeErased(): void;

  /** Writes anew what rows were erased from; nobody else writes meanwhile. */
  compact(): Promise<void>;

  close(): Promise<void>;
}
