import type Sqlite from 'better-sqlite3';

import {
  assertReturned,
  type CompiledMigration,
  type Database,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../sql/database.js';
import { firstVisibility } from '../sql/first-visibility.js';
import type { NewRecord } from '../ports/records.js';
import { columnNames, EXECUTION_COLUMNS, RECORD_COLUMNS } from '../sql/record-rows.js';
import { APPLIED_STEPS, pendingMigrations, SCHEMA_TABLES } from '../sql/schema-version.js';
import { driverCodeOf, StoreError } from '../ports/store-error.js';
import { WriteHealth } from '../sql/write-health.js';
import { openSqliteFile } from './sqlite-file.js';
import { WalCheckpoint } from './wal-checkpoint.js';

const CLAIM = `insert into executions ${columnsAndValues(columnNames(EXECUTION_COLUMNS))}
  on conflict (tenant_id, execution_id) do nothing`;
// The expression of the visibility reads the settings of both sources, each with a tenant id of its own.
const KEEP = `insert into records (${columnNames(RECORD_COLUMNS).join(', ')}, visibility)
  values (${RECORD_COLUMNS.map(() => '?').join(', ')}, ${firstVisibility('?')})`;
const KEEP_LEAF = `insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
  values (?, ?, ?, ?, ?, ?)`;
const KEEP_ONCE = `${KEEP} on conflict (certificate_hash, kind, tenant_id) do nothing`;

/** The embedded database: one file, one connection, synchronous statements. */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly writes = new WriteHealth();
  readonly #file: Sqlite.Database;
  readonly #checkpoint: WalCheckpoint;
  readonly #statements = new Map<string, Sqlite.Statement<unknown[], SqlRow>>();

  /** @param path of the database file, created if missing */
  constructor(path: string) {
    this.#file = translated(() => openSqliteFile(path));
    this.#checkpoint = new WalCheckpoint(this.#file);
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#noted(() => this.#run({ sql, values }));
  }

  async transact(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]> {
    return this.#noted(() => {
      const answers = this.#immediately(() =>
        statements.map((statement) => {
          const rows = this.#run(statement);
          assertReturned(rows, statement.mustReturn);
          return rows;
        }),
      );
      this.writes.noteSuccess();
      return answers;
    });
  }

  #run({ sql, values }: SqlStatement): readonly SqlRow[] {
    const statement = this.#prepared(sql);
    // SQLite treats `$1` as a parameter named 1.
    const named = Object.fromEntries(values.map((value, index) => [index + 1, value]));
    if (!statement.readonly) this.#checkpoint.noteCommit();
    if (statement.reader) return statement.all(named);
    statement.run(named);
    return [];
  }

  async insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]> {
    return this.#noted(() => {
      const inserted = this.#immediately(() => records.map((record) => this.#insert(record)));
      this.#checkpoint.noteCommit();
      this.writes.noteSuccess();
      return inserted;
    });
  }

  #insert(record: NewRecord): boolean {
    const { tenantId } = record;
    const row = [...RECORD_COLUMNS.map(([, valueOf]) => valueOf(record)), tenantId, tenantId];
    if (record.executionId === null) {
      const { changes, lastInsertRowid } = this.#prepared(KEEP_ONCE).run(...row);
      if (changes === 1) this.#insertLeaves(record, lastInsertRowid);
      return changes === 1;
    }
    const execution = EXECUTION_COLUMNS.map(([, valueOf]) => valueOf(record));
    if (this.#prepared(CLAIM).run(...execution).changes === 0) return false;
    this.#insertLeaves(record, this.#prepared(KEEP).run(...row).lastInsertRowid);
    return true;
  }

  #insertLeaves({ tenantId, leaves = [] }: NewRecord, seq: number | bigint): void {
    for (const { source, labelJson, digest, seed } of leaves) {
      this.#prepared(KEEP_LEAF).run(tenantId, source, seq, labelJson, digest, seed);
    }
  }

  async migrate(migrations: readonly CompiledMigration[]): Promise<number> {
    return translated(() =>
      this.#immediately(() => {
        for (const table of SCHEMA_TABLES) this.#file.exec(table);
        const applied = this.#file.prepare<[], SqlRow>(APPLIED_STEPS).all();
        const missing = pendingMigrations(applied, migrations);
        for (const { version, oldestSchema, sql } of missing.pending) {
          this.#file.exec(sql);
          this.#file.prepare('insert into schema_versions (version) values (?)').run(version);
          this.#file.prepare('insert into schema_compatibility values (?, ?)').run(version, oldestSchema);
        }
        return missing.version;
      }),
    );
  }

  purgeErased(): void {
    this.#checkpoint.purge();
  }

  async compact(): Promise<void> {
    translated(() => {
      this.#checkpoint.compact();
    });
  }

  async close(): Promise<void> {
    if (!this.#file.open) return;
    this.#checkpoint.stop();
    this.#file.close();
  }

  #noted<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.writes.noteFailure(storeErrorOf(error));
    }
  }

  /** Takes the write lock at the start: a transaction that reads first cannot wait for it later. */
  #immediately<T>(work: () => T): T {
    return this.#file.transaction(work).immediate();
  }

  #prepared(sql: string): Sqlite.Statement<unknown[], SqlRow> {
    if (!this.#file.open) throw new StoreError('STORE_CLOSED', 'the store is closed');
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#file.prepare<unknown[], SqlRow>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function columnsAndValues(columns: readonly string[]): string {
  return `(${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}

/** Runs driver code and converts its errors to StoreError without the driver's message, which may quote a row. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeErrorOf(error);
  }
}

function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = driverCodeOf(error);
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)/.test(code)
    ? new StoreError('STORE_ROW_REFUSED', `the database refused a row (${code})`)
    : new StoreError('STORE_UNAVAILABLE', `the database file cannot be used (${code})`);
}
