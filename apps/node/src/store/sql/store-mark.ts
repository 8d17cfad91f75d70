import type { Mark, StoreMark } from '../ports/store-mark.js';
import type { Database, SqlRow, SqlValue } from './database.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

/** The mark on either database: one row. */
export class SqlStoreMark implements StoreMark {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read(): Promise<Mark> {
    return this.#one('select count, at from store_mark where mark_id = 1', []);
  }

  async grow(at: string, seen: number): Promise<Mark | null> {
    // The condition is in the update, since the database may be replaced after any read.
    const sql = `update store_mark set at = $1, count = count + 1
      where mark_id = 1 and count >= $2 returning count, at`;
    const [row] = await this.#rows(sql, [at, seen]);
    return row === undefined ? null : markOf(row);
  }

  advance(at: string, by: number, floor: number): Promise<Mark> {
    // Both databases have the larger of two values as `case`.
    const sql = `update store_mark set at = $1, count = $2 + case when count < $3 then $3 else count end
      where mark_id = 1 returning count, at`;
    return this.#one(sql, [at, by, floor]);
  }

  async #one(sql: string, values: readonly SqlValue[]): Promise<Mark> {
    const [row] = await this.#rows(sql, values);
    if (row === undefined) throw new Error('store_mark has lost its row');
    return markOf(row);
  }

  /** Repeated after a lost answer, an update counts twice: only a count that falls behind a file's says anything. */
  #rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function markOf(row: SqlRow): Mark {
  return { count: Number(row['count']), at: text(row, 'at') };
}
