import type { Database, SqlRow, SqlValue } from './database.js';
import type { RecordScan, ScannedRecord } from '../ports/record-scan.js';
import { columnNames, isStorable, RECORD_COLUMNS, toRecord } from './record-rows.js';
import { retryPassing } from './retry.js';

const COLUMNS = ['seq', ...columnNames(RECORD_COLUMNS), 'visibility'].join(', ');

const WITH_HASH = `
  select ${COLUMNS} from records where certificate_hash = $1 and visibility <> 'deleted' order by seq`;

const AFTER = `
  select ${COLUMNS} from records
  where seq > $1 and attested_at < $2 and visibility <> 'deleted' order by seq limit $3`;

/** Upper bound of all stored times. */
const END = '9999-12-31T23:59:59.999Z';

/** The scan of records on either database. */
export class SqlRecordScan implements RecordScan {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  withHash(certificateHash: string): Promise<readonly ScannedRecord[]> {
    return this.#find(WITH_HASH, [certificateHash]);
  }

  after(...[seq, attestedBefore, limit]: Parameters<RecordScan['after']>): Promise<readonly ScannedRecord[]> {
    return this.#find(AFTER, [seq, attestedBefore ?? END, limit]);
  }

  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly ScannedRecord[]> {
    if (!values.every(isStorable)) return [];
    return (await retryPassing(() => this.#database.all(sql, values))).map(toScanned);
  }
}

/** PostgreSQL returns a 64-bit number as text. */
function toScanned(row: SqlRow): ScannedRecord {
  return { seq: Number(row['seq']), record: toRecord(row) };
}
