import { SqlitePlace } from '@cer/sql-store/sqlite-place';
import { storeErrorOf } from '@cer/sql-store/store-error';
import type Sqlite from 'better-sqlite3';

import {
  assertCondition,
  type CompiledMigration,
  type Database,
  type SqlAnswer,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../sql/database.js';
import { firstVisibility } from '../sql/first-visibility.js';
import type { NewRecord } from '../ports/records.js';
import { columnNames, EXECUTION_COLUMNS, RECORD_COLUMNS } from '../sql/record-rows.js';
import { APPLIED_STEPS, pendingMigrations, SCHEMA_TABLES } from '../sql/schema-version.js';
import { WriteHealth } from '../sql/write-health.js';
import { LogMover } from './log-mover.js';
import { openSqliteFile } from './sqlite-file.js';
import { Statements, translated } from './statements.js';
import { WalCheckpoint } from './wal-checkpoint.js';

const CLAIM = `insert into executions ${columnsAndValues(columnNames(EXECUTION_COLUMNS))}
  on conflict (tenant_id, execution_id) do nothing`;
// The expression of the visibility reads the settings of both sources, each with its own tenant id.
const KEEP = `insert into records (${columnNames(RECORD_COLUMNS).join(', ')}, visibility)
  values (${RECORD_COLUMNS.map(() => '?').join(', ')}, ${firstVisibility('?')})`;
const KEEP_LEAF = `insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
  values (?, ?, ?, ?, ?, ?)`;
const KEEP_ONCE = `${KEEP} on conflict (certificate_hash, kind, tenant_id) do nothing`;

interface LogMoverOptions {
  readonly execArgv?: readonly string[];
  readonly longLogPages?: number;
}

/** The embedded database: one file, one connection, synchronous statements. */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly writes = new WriteHealth();
  readonly #file: Sqlite.Database;
  readonly #place: SqlitePlace;
  readonly #writeTurn: (() => Promise<() => void>) | undefined;
  readonly #checkpoint: WalCheckpoint;
  readonly #statements: Statements;
  #closing: Promise<void> | undefined;

  /**
   * @param path of the database file, created if missing
   * @param writeTurn waits until no other process of this node writes; SQLite's own lock would block the event loop
   * @param logMover other than usual in tests
   */
  constructor(path: string, writeTurn?: () => Promise<() => void>, logMover: LogMoverOptions = {}) {
    this.#writeTurn = writeTurn;
    this.#file = translated(() => openSqliteFile(path));
    this.#place = new SqlitePlace(path);
    this.#statements = new Statements(this.#file);
    this.#checkpoint = new WalCheckpoint(this.#file, new LogMover(path, logMover.execArgv), logMover.longLogPages);
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const run = (): readonly SqlRow[] => this.#run({ sql, values }).rows;
    return this.#noted(() => this.#statements.prepared(sql).readonly) ? this.#noted(run) : this.#writing(run);
  }

  /** Runs work that writes. */
  async #writing<T>(work: () => T): Promise<T> {
    const write = (): T =>
      this.#noted(() => {
        this.#place.assertKept();
        return work();
      });
    if (this.#writeTurn === undefined) return write();
    const done = await this.#writeTurn();
    try {
      return write();
    } finally {
      done();
    }
  }

  async transact(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]> {
    return this.#writing(() => {
      const answers = this.#immediately(() =>
        statements.map((statement) => {
          const answer = this.#run(statement);
          assertCondition(statement, answer);
          return answer.rows;
        }),
      );
      this.writes.noteSuccess();
      return answers;
    });
  }

  #run(statement: SqlStatement): SqlAnswer {
    if (!this.#statements.prepared(statement.sql).readonly) this.#checkpoint.noteCommit();
    return this.#statements.run(statement);
  }

  async insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]> {
    return this.#writing(() => {
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
      const { changes, lastInsertRowid } = this.#statements.prepared(KEEP_ONCE).run(...row);
      if (changes === 1) this.#insertLeaves(record, lastInsertRowid);
      return changes === 1;
    }
    const execution = EXECUTION_COLUMNS.map(([, valueOf]) => valueOf(record));
    if (this.#statements.prepared(CLAIM).run(...execution).changes === 0) return false;
    this.#insertLeaves(record, this.#statements.prepared(KEEP).run(...row).lastInsertRowid);
    return true;
  }

  #insertLeaves({ tenantId, leaves = [] }: NewRecord, seq: number | bigint): void {
    for (const { source, labelJson, digest, seed } of leaves) {
      this.#statements.prepared(KEEP_LEAF).run(tenantId, source, seq, labelJson, digest, seed);
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

  async purgeErased(): Promise<void> {
    this.#checkpoint.purge();
  }

  async compact(): Promise<void> {
    translated(() => {
      this.#checkpoint.compact();
    });
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#checkpoint.stop();
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
}

function columnsAndValues(columns: readonly string[]): string {
  return `(${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}
