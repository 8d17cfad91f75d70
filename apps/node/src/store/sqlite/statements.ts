import { StoreError, storeErrorOf } from '@cer/sql-store/store-error';
import type Sqlite from 'better-sqlite3';

import type { SqlAnswer, SqlRow, SqlStatement, SqlValue } from '../sql/database.js';

type Prepared = Sqlite.Statement<unknown[], SqlRow>;

/** The prepared statements of one connection. */
export class Statements {
  readonly #file: Sqlite.Database;
  readonly #prepared = new Map<string, Prepared>();
  readonly #boundByName = new Set<Prepared>();

  constructor(file: Sqlite.Database) {
    this.#file = file;
  }

  prepared(sql: string): Prepared {
    if (!this.#file.open) throw new StoreError('STORE_CLOSED', 'the store is closed');
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const byPosition = textByPosition(sql);
    const statement = this.#file.prepare<unknown[], SqlRow>(byPosition ?? sql);
    if (byPosition === null) this.#boundByName.add(statement);
    this.#prepared.set(sql, statement);
    return statement;
  }

  run({ sql, values }: SqlStatement): SqlAnswer {
    const statement = this.prepared(sql);
    const bound = this.#boundByName.has(statement) ? [byName(values)] : values;
    if (statement.reader) return { rows: statement.all(...bound), changed: 0 };
    return { rows: [], changed: statement.run(...bound).changes };
  }
}

/**
 * The text with `?` for each placeholder, as binding by name costs several times as much; null when one recurs or comes
 * out of order.
 */
function textByPosition(sql: string): string | null {
  let last = 0;
  const text = sql.replaceAll(/\$(\d+)/g, (placeholder, number) => (Number(number) === ++last ? '?' : placeholder));
  return text.includes('$') ? null : text;
}

/** SQLite treats `$1` as a parameter named 1. */
function byName(values: readonly SqlValue[]): Readonly<Record<number, SqlValue>> {
  return Object.fromEntries(values.map((value, index) => [index + 1, value]));
}

/** Runs driver code and converts its errors to StoreError without the driver's message, which may quote a row. */
export function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeErrorOf(error);
  }
}
