import type { Counted, RecordCounts } from '../ports/record-counts.js';
import type { Database } from './database.js';
import { retryPassing } from './retry.js';

/** Rows are large; the other counts read only an index. */
const ROWS_PER_RANGE: Readonly<Record<Counted, number>> = {
  all: 500,
  hidden: 5000,
  deleted: 5000,
  untimestamped: 5000,
};

const WHERE: Readonly<Record<Counted, string>> = {
  all: 'true',
  hidden: "visibility <> 'visible' and visibility = 'hidden'",
  deleted: "visibility <> 'visible' and visibility = 'deleted'",
  untimestamped: "stamped_at is null and visibility <> 'deleted'",
};

/** Exported so that a test can check the query plan. */
export function countRange(what: Counted): string {
  return `select count(*) as records, max(seq) as last from (
    select seq from records where ${WHERE[what]} and seq > $1 and seq <= $2 order by seq limit ${ROWS_PER_RANGE[what]}
  ) as counted`;
}

/** The counts of records, on either database. */
export class SqlRecordCounts implements RecordCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async range(...[what, after, upTo]: Parameters<RecordCounts['range']>): ReturnType<RecordCounts['range']> {
    const [row] = await retryPassing(() => this.#database.all(countRange(what), [after, upTo]));
    // PostgreSQL returns a 64-bit number as text.
    const count = Number(row?.['records'] ?? 0);
    return { count, end: count < ROWS_PER_RANGE[what] ? null : Number(row?.['last']) };
  }
}
