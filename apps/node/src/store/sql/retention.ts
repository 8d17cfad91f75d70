import type { Database, SqlRow, SqlValue } from './database.js';
import type { HeldKind } from '../ports/legal-holds.js';
import { NOW_MS } from './leases.js';
import { holdsStandStill, NOT_HELD } from './legal-holds.js';
import { eraseLeaves, type LogState } from './log-erasure.js';
import { ERASED_PROJECT } from './projects.js';
import type { RecordPlace } from '../ports/record-list.js';
import { RECORD_BYTES } from './record-list.js';
import { pageStatement } from './record-pages.js';
import { isStorable, text } from './record-rows.js';
import { ERASED_RECORD } from './records.js';
import type { DueBatch, DueItem, RetentionStore } from '../ports/retention.js';
import { retryPassing } from './retry.js';

const ROWS = 100;
const SEQS = Array.from({ length: ROWS }, (_, index) => `$${index + 1}`).join(', ');
const SEQS_AFTER_FIRST = Array.from({ length: ROWS }, (_, index) => `$${index + 2}`).join(', ');

/** Erasing overwrites every byte and blocks all requests on SQLite, so batches of large rows are smaller. */
const BATCH_BYTES = 4 * 1024 * 1024;

const DUE_RECORDS = `
  select seq, certificate_hash as hash, ${RECORD_BYTES} as bytes from records
  where seq in (${SEQS}) and visibility <> 'deleted' and ${NOT_HELD.records}`;

// The first of the two lower bounds is for SQLite, which does not use the pair as one bound.
const DUE_PROJECTS = `
  select seq, registered_at as first_attested, project_hash as hash,
    octet_length(project_json) + octet_length(step_hashes_json) as bytes
  from projects
  where tenant_id = $1 and visibility <> 'deleted' and registered_at < $2
    and registered_at >= $3 and (registered_at, seq) > ($3, $4) and ${NOT_HELD.projects}
  order by registered_at, seq limit ${ROWS}`;

/** Exported so that a test can check the query plan. */
export const RETENTION_LOOKUPS: readonly string[] = [DUE_RECORDS, DUE_PROJECTS];

const ERASED: Readonly<Record<HeldKind, string>> = { records: ERASED_RECORD, projects: ERASED_PROJECT };

/** The retention port on either database. */
export class SqlRetentionStore implements RetentionStore {
  readonly #database: Database;
  readonly #log: LogState;

  constructor(database: Database, log: LogState) {
    this.#database = database;
    this.#log = log;
  }

  async clockMs(): Promise<number> {
    const [row] = await this.#find(`select ${NOW_MS[this.#database.dialect]} as now`, []);
    return Number(row?.['now']);
  }

  async due(...[kind, tenantId, before, after]: Parameters<RetentionStore['due']>): Promise<DueBatch> {
    return kind === 'records'
      ? await this.#dueRecords(tenantId, before, after)
      : await this.#dueProjects(tenantId, before, after);
  }

  async deleteDue(...[kind, due, auditSeq]: Parameters<RetentionStore['deleteDue']>): Promise<number> {
    let deleted = 0;
    for (let start = 0; start < due.length; start += ROWS) {
      const seqs = filled(due.slice(start, start + ROWS));
      const statement = {
        sql: `update ${kind} set ${ERASED[kind]}
          where seq in (${SEQS}) and visibility <> 'deleted' and ${NOT_HELD[kind]} returning seq`,
        values: seqs,
      };
      const erased = this.#log.hasLog
        ? eraseLeaves(kind, auditSeq, { condition: `seq in (${SEQS_AFTER_FIRST})`, values: seqs })
        : [];
      const statements = [...holdsStandStill(this.#database), statement, ...erased];
      deleted += (await retryPassing(() => this.#database.transact(statements))).flat().length;
    }
    if (deleted > 0) await this.#database.purgeErased();
    return deleted;
  }

  /** The same runs of the index as a page of the list. */
  async #dueRecords(tenantId: string, before: string, after: RecordPlace | null): Promise<DueBatch> {
    const everything = { lastSeq: Number.MAX_SAFE_INTEGER, dialect: this.#database.dialect };
    const page = pageStatement({ tenantId, attestedTo: before }, 'oldest', after, ROWS, everything);
    const places = await this.#find(page.sql, page.values);
    if (places.length === 0) return { due: [], next: null };
    const bySeq = new Map((await this.#find(DUE_RECORDS, filled(places))).map((row) => [Number(row['seq']), row]));
    return batchOf(places, (place) => bySeq.get(Number(place['seq'])));
  }

  async #dueProjects(tenantId: string, before: string, after: RecordPlace | null): Promise<DueBatch> {
    const rows = await this.#find(DUE_PROJECTS, [tenantId, before, after?.time ?? '', after?.seq ?? 0]);
    return batchOf(rows, (row) => row);
  }

  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!values.every(isStorable)) return [];
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

/** Reads positions in order until a batch is full; held items have no row. */
function batchOf(places: readonly SqlRow[], rowAt: (place: SqlRow) => SqlRow | undefined): DueBatch {
  const due: DueItem[] = [];
  let bytes = 0;
  for (const [index, place] of places.entries()) {
    const row = rowAt(place);
    if (row !== undefined) {
      due.push({ seq: Number(row['seq']), hash: text(row, 'hash') });
      bytes += Number(row['bytes']);
    }
    const isLast = index === places.length - 1;
    if (isLast && places.length < ROWS) break;
    if (isLast || bytes >= BATCH_BYTES) {
      return { due, next: { time: text(place, 'first_attested'), seq: Number(place['seq']) } };
    }
  }
  return { due, next: null };
}

/** One statement text for every number of rows, padded with one that is read anyway. */
function filled(rows: readonly (SqlRow | DueItem)[]): SqlValue[] {
  const seqs = rows.map(({ seq }) => Number(seq));
  return Array.from({ length: ROWS }, (_, index) => seqs[index] ?? seqs[0] ?? 0);
}
