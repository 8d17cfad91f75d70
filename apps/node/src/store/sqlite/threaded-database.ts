import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { driverCodeOf } from '@cer/sql-store/driver-code';
import { StoreError, storeErrorOf } from '@cer/sql-store/store-error';
import type Sqlite from 'better-sqlite3';

import type { NewRecord } from '../ports/records.js';
import type { CompiledMigration, Database, SqlRow, SqlStatement, SqlValue } from '../sql/database.js';
import { WriteHealth } from '../sql/write-health.js';
import { openSqliteReader } from './sqlite-file.js';
import { Statements } from './statements.js';

// Beside this file, compiled or not.
const THREAD = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url);

type Writing = Omit<Database, 'dialect' | 'writes'>;
type Call = keyof Writing;
type Result<Name extends Call> = Awaited<ReturnType<Writing[Name]>>;

/** A call of the thread, by the method of the port. */
export type ToWriter = {
  readonly [Name in Call]: { readonly id: number; readonly name: Name; readonly args: Parameters<Writing[Name]> };
}[Call];

export type FromWriter =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refused: Pick<StoreError, 'code' | 'message' | 'driverCode'> };

export interface ThreadedDatabaseOptions {
  /** Waits until no other process of this node writes. */
  readonly writeTurn?: (() => Promise<() => void>) | undefined;
  /** Of the thread, for tests on sources. */
  readonly execArgv?: readonly string[] | undefined;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

/** The embedded database with its writing connection in a thread. Reads use a connection of the event loop. */
export class ThreadedDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly writes = new WriteHealth();
  readonly #path: string;
  readonly #options: ThreadedDatabaseOptions;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #reader: { readonly file: Sqlite.Database; readonly statements: Statements } | null = null;
  #lastId = 0;
  #isClosed = false;

  /** @param path of the database file, created by the first call if missing */
  constructor(path: string, options: ThreadedDatabaseOptions = {}) {
    this.#path = path;
    this.#options = options;
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    try {
      const statements = this.#reading();
      // A commit is visible to other connections before its caller gets the answer.
      if (statements.prepared(sql).readonly) return statements.run({ sql, values }).rows;
    } catch (error) {
      throw this.writes.noteFailure(storeErrorOf(error));
    }
    return await this.#write('all', sql, values);
  }

  async transact(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]> {
    const answers = await this.#write('transact', statements);
    this.writes.noteSuccess();
    return answers;
  }

  async insertBatch(records: readonly NewRecord[]): Promise<readonly boolean[]> {
    const inserted = await this.#write('insertBatch', records);
    this.writes.noteSuccess();
    return inserted;
  }

  migrate(migrations: readonly CompiledMigration[]): Promise<number> {
    return this.#ask('migrate', migrations);
  }

  purgeErased(): Promise<void> {
    return this.#ask('purgeErased');
  }

  compact(): Promise<void> {
    return this.#ask('compact');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The last connection to close removes the log.
    this.#reader?.file.close();
    const thread = this.#thread;
    if (thread === null) return;
    try {
      await this.#send(thread, 'close');
    } finally {
      await thread.terminate();
    }
  }

  async #write<Name extends Call>(name: Name, ...args: Parameters<Writing[Name]>): Promise<Result<Name>> {
    const done = await this.#options.writeTurn?.();
    try {
      return await this.#ask(name, ...args);
    } catch (error) {
      throw this.writes.noteFailure(storeErrorOf(error));
    } finally {
      done?.();
    }
  }

  async #ask<Name extends Call>(name: Name, ...args: Parameters<Writing[Name]>): Promise<Result<Name>> {
    if (this.#isClosed) throw new StoreError('STORE_CLOSED', 'the store is closed');
    return this.#send((this.#thread ??= this.#started()), name, ...args);
  }

  async #send<Name extends Call>(
    thread: Worker,
    name: Name,
    ...args: Parameters<Writing[Name]>
  ): Promise<Result<Name>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const result = await new Promise<unknown>((resolve, reject) => {
      thread.postMessage({ id, name, args });
      this.#waiting.set(id, { resolve, reject });
    });
    return result as Result<Name>;
  }

  #started(): Worker {
    const { execArgv } = this.#options;
    const thread = new Worker(THREAD, { workerData: this.#path, ...(execArgv && { execArgv: [...execArgv] }) });
    thread.on('message', (message: FromWriter) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if ('result' in message) waiting?.resolve(message.result);
      else {
        const { code, message: rule, driverCode } = message.refused;
        waiting?.reject(new StoreError(code, rule, driverCode));
      }
    });
    thread.on('error', (error) => {
      this.#end(thread, driverCodeOf(error));
    });
    thread.on('exit', () => {
      this.#end(thread, 'its thread ended');
    });
    return thread;
  }

  /** Its pending work may be committed or not, as with a lost connection. The next call starts another thread. */
  #end(thread: Worker, why: string): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    for (const { reject } of this.#waiting.values()) {
      reject(new StoreError('STORE_UNAVAILABLE', `the database is not available (${why})`));
    }
    this.#waiting.clear();
  }

  /** Opened by the first read: the thread has made the file by then. */
  #reading(): Statements {
    if (this.#isClosed) throw new StoreError('STORE_CLOSED', 'the store is closed');
    if (this.#reader === null) {
      const file = openSqliteReader(this.#path);
      this.#reader = { file, statements: new Statements(file) };
    }
    return this.#reader.statements;
  }
}
