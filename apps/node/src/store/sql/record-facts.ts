import type { Database } from './database.js';
import { DESCRIBED, text } from './record-rows.js';
import { retryPassing } from './retry.js';
import type { DescribedRecord, RecordFacts, UndescribedRecord } from '../ports/record-facts.js';

/** Exported so that a test can check the query plan. */
export const FIND_UNDESCRIBED = `
  select seq, coalesce(bundle_json, public_cer_json, '{}') as json from records
  where described is null and visibility <> 'deleted' order by seq limit 64`;

// A record deleted since has no labels.
const DESCRIBE = `
  update records set provider = $2, model = $3, reviewed_hash = $4, described = '${DESCRIBED}'
  where seq = $1 and visibility <> 'deleted'`;

export class SqlRecordFacts implements RecordFacts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async undescribed(): Promise<readonly UndescribedRecord[]> {
    const rows = await retryPassing(() => this.#database.all(FIND_UNDESCRIBED, []));
    // PostgreSQL returns a 64-bit number as text.
    return rows.map((row) => ({ seq: Number(row['seq']), json: text(row, 'json') }));
  }

  async describe(records: readonly DescribedRecord[]): Promise<void> {
    const statements = records.map(({ seq, provider, model, reviewedHash }) => ({
      sql: DESCRIBE,
      values: [seq, provider, model, reviewedHash],
    }));
    await retryPassing(() => this.#database.transact(statements));
  }
}
