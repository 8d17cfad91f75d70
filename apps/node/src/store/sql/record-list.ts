import { setImmediate } from 'node:timers/promises';

import type { Database, SqlRow, SqlValue } from './database.js';
import type {
  ListedRecord,
  RecordFilter,
  RecordList,
  RecordPlace,
  RecordSnapshot,
  WholeRecord,
} from '../ports/record-list.js';
import { FIRST_ATTESTED, pageStatement } from './record-pages.js';
import { columnNames, isStorable, RECORD_COLUMNS, text, textOrNull, toHead, toRecord } from './record-rows.js';
import { insertsUnderWay, lastCommitted } from './record-snapshot.js';
import { retryPassing } from './retry.js';

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

const ROWS_A_STATEMENT = 100;
/** Rows of an index that one statement counts. */
const ROWS_A_COUNT = 5_000;
const SEQS = Array.from({ length: ROWS_A_STATEMENT }, (_, index) => `$${index + 1}`).join(', ');

const HEAD_COLUMNS = [
  ...['seq', 'certificate_hash', 'kind', 'execution_id', 'bundle_type', 'protocol_version', 'app_id'],
  ...['attestation_id', 'attested_at', 'kid', 'resealed_certificate_hash', 'visibility'],
  ...['provider', 'model', 'stamped_at'],
  `${FIRST_ATTESTED} as first_attested`,
].join(', ');

const HEADS = `select ${HEAD_COLUMNS} from records where seq in (${SEQS}) and visibility <> 'deleted'`;

// A hundred of the largest records would be a gigabyte, so larger ones are read singly.
const LARGE_BYTES = 256 * 1024;
export const RECORD_BYTES = ['bundle_json', 'meta_json', 'public_cer_json']
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(' + ');
const WHOLE_COLUMNS = ['seq', ...columnNames(RECORD_COLUMNS), 'visibility', `${FIRST_ATTESTED} as first_attested`];
const WHOLE = `select ${WHOLE_COLUMNS.join(', ')} from records`;
const SMALL_RECORDS = `${WHOLE} where seq in (${SEQS}) and visibility <> 'deleted' and ${RECORD_BYTES} <= ${LARGE_BYTES}`;
const ONE_RECORD = `${WHOLE} where seq = $1 and visibility <> 'deleted'`;

/** Exported so that a test can check the query plan. */
export const ANY_UNDESCRIBED = `
  select seq from records where described is null and visibility <> 'deleted' order by seq limit 1`;

const PLACE = `
  select seq, ${FIRST_ATTESTED} as first_attested from records
  where certificate_hash = $2 and kind = $3 and tenant_id = $1`;

/** Exported so that a test can check the query plan. */
export const ANY_LOGGED = `
  select 1 from log_keys k cross join log_leaves l
  where l.log_id = k.log_id and l.tenant_id = $1 and l.number is not null limit 1`;

/** Every statement of this port except the pages, so that a test can check the query plans. */
export const LIST_LOOKUPS: readonly string[] = [HEADS, SMALL_RECORDS, ONE_RECORD, PLACE];

/** The list of records on either database. */
export class SqlRecordList implements RecordList {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async snapshot(): Promise<RecordSnapshot> {
    const lastSeq = await retryPassing(() => lastCommitted(this.#database));
    await insertsUnderWay(this.#database);
    return { lastSeq };
  }

  async place(...[tenantId, certificateHash, kind]: Parameters<RecordList['place']>): Promise<RecordPlace | null> {
    const [row] = await this.#find(PLACE, [tenantId, certificateHash, kind]);
    return row === undefined ? null : placeOf(row);
  }

  async isUndescribed(): Promise<boolean> {
    return (await this.#find(ANY_UNDESCRIBED, [])).length > 0;
  }

  async page(...[filter, order, after, limit]: Parameters<RecordList['page']>): Promise<readonly ListedRecord[]> {
    if (await this.#findsNone(filter)) return [];
    const { sql, values } = pageStatement(filter, order, after, limit, {
      lastSeq: LAST_SEQ,
      dialect: this.#database.dialect,
    });
    const places = await this.#find(sql, values);
    const listed: ListedRecord[] = [];
    for (let start = 0; start < places.length; start += ROWS_A_STATEMENT) {
      const rows = await this.#bySeq(HEADS, places.slice(start, start + ROWS_A_STATEMENT));
      listed.push(...rows.map(toListed));
    }
    return listed;
  }

  async count(...[filter, limit]: Parameters<RecordList['count']>): Promise<number> {
    if (await this.#findsNone(filter)) return 0;
    let count = 0;
    for (let after: RecordPlace | null = null; count < limit;) {
      const { sql, values } = pageStatement(filter, 'newest', after, ROWS_A_COUNT, {
        lastSeq: LAST_SEQ,
        dialect: this.#database.dialect,
      });
      const places = await this.#find(sql, values);
      count += places.length;
      const last = places.at(-1);
      if (last === undefined || places.length < ROWS_A_COUNT) return count;
      after = placeOf(last);
      // Counting holds the loop of a node on SQLite: others have their turn.
      await setImmediate();
    }
    return count;
  }

  async *all(...[filter, snapshot]: Parameters<RecordList['all']>): AsyncGenerator<WholeRecord> {
    if (await this.#findsNone(filter)) return;
    for (let after: RecordPlace | null = null; ;) {
      const { sql, values } = pageStatement(filter, 'oldest', after, ROWS_A_STATEMENT, {
        ...snapshot,
        dialect: this.#database.dialect,
      });
      const places = await this.#find(sql, values);
      const small = new Map((await this.#bySeq(SMALL_RECORDS, places)).map((row) => [seqOf(row), row]));
      for (const place of places) {
        const row = small.get(seqOf(place)) ?? (await this.#one(place));
        if (row !== undefined) yield { record: toRecord(row), firstAttestedAt: text(row, 'first_attested') };
      }
      const last = places.at(-1);
      if (last === undefined || places.length < ROWS_A_STATEMENT) return;
      after = placeOf(last);
    }
  }

  /** Without a leaf no record has a proof: reading every record would only find that out. */
  async #findsNone({ logProof, tenantId }: RecordFilter): Promise<boolean> {
    return logProof === true && (await this.#find(ANY_LOGGED, [tenantId])).length === 0;
  }

  async #one(place: SqlRow): Promise<SqlRow | undefined> {
    return (await this.#find(ONE_RECORD, [seqOf(place)]))[0];
  }

  /** The rows at these positions, in their order, without those deleted since. */
  async #bySeq(sql: string, places: readonly SqlRow[]): Promise<readonly SqlRow[]> {
    const [first] = places;
    if (first === undefined) return [];
    // One statement text for every length, padded with a row that is read anyway.
    const seqs = Array.from({ length: ROWS_A_STATEMENT }, (_, index) => seqOf(places[index] ?? first));
    const bySeq = new Map((await this.#find(sql, seqs)).map((row) => [seqOf(row), row]));
    return places.map((place) => bySeq.get(seqOf(place))).filter((row) => row !== undefined);
  }

  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!values.every(isStorable)) return [];
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

function placeOf(row: SqlRow): RecordPlace {
  return { time: text(row, 'first_attested'), seq: seqOf(row) };
}

/** PostgreSQL returns a 64-bit number as text. */
function seqOf(row: SqlRow): number {
  return Number(row['seq']);
}

function toListed(row: SqlRow): ListedRecord {
  return {
    ...toHead(row),
    firstAttestedAt: text(row, 'first_attested'),
    timestampedAt: textOrNull(row, 'stamped_at'),
  };
}
