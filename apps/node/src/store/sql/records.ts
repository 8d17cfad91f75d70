import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Database, SqlRow, SqlValue } from './database.js';
import { eraseLeaves, leafOf, type LogState } from './log-erasure.js';
import type { GroupCommit } from './group-commit.js';
import { holdsStandStill, NOT_HELD } from './legal-holds.js';
import type { AttestationColumns, NewRecord, RecordOutcome, RecordStore } from '../ports/records.js';
import type { CertificateRecord, Visibility } from '../ports/certificate-record.js';
import type { NewLeaf } from '../ports/log-leaves.js';
import {
  assertStorable,
  columnNames,
  isStorable,
  RECORD_COLUMNS,
  text,
  toExecution,
  toRecord,
  visibilityOf,
} from './record-rows.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';

const COLUMNS = [...columnNames(RECORD_COLUMNS), 'visibility'].join(', ');
const RECORD_OF_EXECUTION = [...columnNames(RECORD_COLUMNS), 'visibility'].map((column) => `r.${column}`).join(', ');

/** Joins an execution `e` with its record `r`. */
const ITS_RECORD =
  "records r on r.certificate_hash = e.certificate_hash and r.kind = 'full' and r.tenant_id = e.tenant_id";

const FIND_EXECUTION = `
  select e.bundle_created_at, e.snapshot_timestamp, e.commitment_secret_id,
    e.certificate_hash as execution_certificate_hash, ${RECORD_OF_EXECUTION}
  from executions e
  left join ${ITS_RECORD}
  where e.tenant_id = $1 and e.execution_id = $2`;

// `full` sorts before `hash-only`. A union, because an `or` over two columns may read neither index.
const FIND_BY_HASH = `
  select * from (
    select seq, ${COLUMNS} from records where certificate_hash = $1 and visibility = 'visible'
    union all
    select seq, ${COLUMNS} from records
    where resealed_certificate_hash = $1 and certificate_hash <> $1 and visibility = 'visible'
  ) as found order by kind, seq limit 1`;

const FIND_OWN_BY_HASH = `
  select ${COLUMNS} from records
  where certificate_hash = $2 and kind = $3 and tenant_id = $1 and visibility <> 'deleted'`;

/** Of all tenants. SQLite has no index of records by execution: there the key of the executions starts with its id. */
const FIND_VISIBLE_BY_EXECUTION: Readonly<Record<Database['dialect'], string>> = {
  sqlite: `
    select ${RECORD_OF_EXECUTION} from executions e
    join ${ITS_RECORD}
    where e.execution_id = $1 and r.visibility = 'visible' order by r.seq limit $2`,
  postgres: `
    select ${COLUMNS} from records where execution_id = $1 and visibility = 'visible' order by seq limit $2`,
};

// At most one hash: the executionId identifies one execution of the tenant.
const FIND_OWN_BY_EXECUTION = `
  select ${RECORD_OF_EXECUTION} from executions e
  join ${ITS_RECORD}
  where e.tenant_id = $1 and e.execution_id = $2 and r.visibility <> 'deleted' limit $3`;

// Labels of the producer are content too; only hashes and the execution remain.
export const ERASED_RECORD =
  "visibility = 'deleted', bundle_json = null, meta_json = null, public_cer_json = null, app_id = null, " +
  'provider = null, model = null, reviewed_hash = null';

// A deleted record has no meta_json, so it is never updated again.
const REPLACE_ATTESTATION = `
  update records set attestation_id = $6, attested_at = $7, kid = $8, meta_json = $9, public_cer_json = $10,
    first_attested_at = coalesce(first_attested_at, attested_at),
    stamped_at = case when attestation_id = $6 then stamped_at end
  where certificate_hash = $2 and kind = $3 and tenant_id = $1
    and meta_json = $4 and coalesce(public_cer_json, '') = $5
  returning seq`;

const HASHES_A_STATEMENT = 100;
const VISIBILITIES = `
  select certificate_hash, visibility from records
  where tenant_id = $1 and kind = 'full'
    and certificate_hash in (${Array.from({ length: HASHES_A_STATEMENT }, (_, index) => `$${index + 2}`).join(', ')})`;

/** Every lookup of this port on SQLite, so that a test can check the query plans. */
export const RECORD_LOOKUPS: readonly string[] = [
  FIND_EXECUTION,
  FIND_BY_HASH,
  FIND_OWN_BY_HASH,
  FIND_VISIBLE_BY_EXECUTION.sqlite,
  FIND_OWN_BY_EXECUTION,
  VISIBILITIES,
];

/**
 * Maximum retries when a key is taken but its row is missing, which happens only after manual deletion of execution
 * rows.
 */
const VANISHING_LIMIT = 3;

/** The record port on either database; `commits` batches new records. */
export class SqlRecordStore implements RecordStore {
  readonly #database: Database;
  readonly #commits: GroupCommit<NewRecord>;
  readonly #log: LogState;
  readonly #knownSecrets = new Set<string>();
  readonly #underWay = new Set<Promise<RecordOutcome>>();
  #closed = false;

  constructor(database: Database, commits: GroupCommit<NewRecord>, log: LogState) {
    this.#database = database;
    this.#commits = commits;
    this.#log = log;
  }

  expectRecord(): () => void {
    return this.#commits.expect();
  }

  async recordOnce(record: NewRecord): Promise<RecordOutcome> {
    if (this.#closed) throw new StoreError('STORE_CLOSED', 'the store is closed');
    assertStorable(record);
    const outcome = this.#recordOnce(record);
    this.#underWay.add(outcome);
    try {
      return await outcome;
    } finally {
      this.#underWay.delete(outcome);
    }
  }

  /** Refuses new records and resolves when every accepted one is settled, including the reads of replays. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #recordOnce(record: NewRecord): Promise<RecordOutcome> {
    await this.#rememberSecret(record.commitmentSecretId);
    for (let attempt = 0; attempt < VANISHING_LIMIT; attempt += 1) {
      if (await this.#commits.add(record)) return { recorded: true };
      // Read in a separate statement after the insert, because only then the row of another transaction is visible.
      const existing = await this.#existing(record);
      if (existing !== null) return existing;
    }
    throw new StoreError('STORE_CONTENDED', 'the execution row vanished during the insert');
  }

  async #existing(record: NewRecord): Promise<RecordOutcome | null> {
    if (record.executionId === null) {
      const row = await this.#visibility(record);
      if (row === null) return null;
      const found = await this.findOwnByHash(record.tenantId, record.certificateHash, record.kind);
      return ownOrExisting(record, { recorded: false, existing: null, record: found });
    }
    const found = await this.findExecution(record.tenantId, record.executionId);
    if (found === null) return null;
    return ownOrExisting(record, { recorded: false, existing: found.execution, record: found.record });
  }

  async #visibility(record: NewRecord): Promise<Visibility | null> {
    const [row] = await this.#find(
      'select visibility from records where certificate_hash = $2 and kind = $3 and tenant_id = $1',
      [record.tenantId, record.certificateHash, record.kind],
    );
    return row === undefined ? null : visibilityOf(row);
  }

  /**
   * Stored before the first execution that uses it, so that start-up can check every secret without reading executions.
   */
  async #rememberSecret(secretId: string | null): Promise<void> {
    if (secretId === null || this.#knownSecrets.has(secretId)) return;
    await retryPassing(() =>
      this.#database.all(
        'insert into commitment_secrets (commitment_secret_id) values ($1) on conflict (commitment_secret_id) do nothing',
        [secretId],
      ),
    );
    this.#knownSecrets.add(secretId);
  }

  async findExecution(tenantId: string, executionId: string): ReturnType<RecordStore['findExecution']> {
    const [row] = await this.#find(FIND_EXECUTION, [tenantId, executionId]);
    if (row === undefined) return null;
    const certificateHash = text(row, 'execution_certificate_hash');
    const execution = toExecution({
      ...row,
      tenant_id: tenantId,
      execution_id: executionId,
      certificate_hash: certificateHash,
    });
    const kept = row['visibility'] === 'visible' || row['visibility'] === 'hidden';
    return { execution, record: kept ? toRecord(row) : null };
  }

  async findByHash(certificateHash: string): Promise<CertificateRecord | null> {
    return firstOf(await this.#find(FIND_BY_HASH, [certificateHash]));
  }

  async findOwnByHash(
    ...[tenantId, certificateHash, kind]: Parameters<RecordStore['findOwnByHash']>
  ): Promise<CertificateRecord | null> {
    return firstOf(await this.#find(FIND_OWN_BY_HASH, [tenantId, certificateHash, kind]));
  }

  async findByExecutionId(
    ...[executionId, { tenantId, limit }]: Parameters<RecordStore['findByExecutionId']>
  ): Promise<readonly CertificateRecord[]> {
    const rows =
      tenantId === undefined
        ? await this.#find(FIND_VISIBLE_BY_EXECUTION[this.#database.dialect], [executionId, limit])
        : await this.#find(FIND_OWN_BY_EXECUTION, [tenantId, executionId, limit]);
    return rows.map(toRecord);
  }

  async visibilityOfFullRecords(
    tenantId: string,
    certificateHashes: readonly string[],
  ): Promise<ReadonlyMap<string, Visibility>> {
    const found = new Map<string, Visibility>();
    for (let start = 0; start < certificateHashes.length; start += HASHES_A_STATEMENT) {
      const hashes = certificateHashes.slice(start, start + HASHES_A_STATEMENT);
      // One statement text for every length, padded with a hash that is read anyway.
      const filled = Array.from({ length: HASHES_A_STATEMENT }, (_, index) => hashes[index] ?? hashes[0] ?? '');
      for (const row of await this.#find(VISIBILITIES, [tenantId, ...filled])) {
        found.set(text(row, 'certificate_hash'), visibilityOf(row));
      }
      // SQLite is synchronous: thousands of steps must not delay other requests.
      await nextTurn();
    }
    return found;
  }

  async setVisibility(
    ...[certificateHash, visibility, tenantId, auditSeq]: Parameters<RecordStore['setVisibility']>
  ): Promise<number> {
    const isDeletion = visibility === 'deleted';
    const set = isDeletion ? ERASED_RECORD : 'visibility = $2';
    const held = isDeletion ? ` and ${NOT_HELD.records}` : '';
    const own = tenantId === undefined ? '' : ' and tenant_id = $3';
    const values = [certificateHash, visibility, ...(tenantId === undefined ? [] : [tenantId])];
    if (!values.every(isStorable)) return 0;
    const statements = ['certificate_hash', 'resealed_certificate_hash'].map((column) => ({
      sql: `update records set ${set}
        where ${column} = $1 and visibility <> $2 and visibility <> 'deleted'${own}${held} returning seq`,
      values,
    }));
    const guard = isDeletion ? holdsStandStill(this.#database) : [];
    const erased =
      isDeletion && auditSeq !== undefined && this.#log.hasLog
        ? ['certificate_hash', 'resealed_certificate_hash'].flatMap((column) =>
            eraseLeaves('records', auditSeq, {
              condition: `${column} = $2${tenantId === undefined ? '' : ' and tenant_id = $3'}`,
              values: [certificateHash, ...(tenantId === undefined ? [] : [tenantId])],
            }),
          )
        : [];
    const all = [...guard, ...statements, ...erased];
    const changed = (await retryPassing(() => this.#database.transact(all))).flat();
    if (isDeletion && changed.length > 0) await this.#database.purgeErased();
    return changed.length;
  }

  async replaceAttestation(
    asRead: CertificateRecord,
    next: AttestationColumns,
    leaves: readonly NewLeaf[] = [],
  ): Promise<boolean> {
    const values = [
      asRead.tenantId,
      asRead.certificateHash,
      asRead.kind,
      asRead.metaJson,
      asRead.publicCerJson ?? '',
      next.attestationId,
      next.attestedAt,
      next.kid,
      next.metaJson,
      next.publicCerJson,
    ];
    if (leaves.length === 0) return (await this.#find(REPLACE_ATTESTATION, values)).length > 0;
    if (!values.every(isStorable)) return false;
    // Found by the new attestation: without the update there is none.
    const found = {
      table: 'records',
      condition: 'certificate_hash = $5 and kind = $6 and tenant_id = $7 and attestation_id = $8',
      values: [asRead.certificateHash, asRead.kind, asRead.tenantId, next.attestationId],
    } as const;
    const statements = [{ sql: REPLACE_ATTESTATION, values }, ...leaves.map((leaf) => leafOf(leaf, found))];
    const [replaced = []] = await retryPassing(() => this.#database.transact(statements));
    return replaced.length > 0;
  }

  /** A text that cannot be stored has no rows, so the database is not queried. */
  async #find(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!values.every(isStorable)) return [];
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

function firstOf([row]: readonly SqlRow[]): CertificateRecord | null {
  return row === undefined ? null : toRecord(row);
}

/** A retry after a lost commit response finds its own row, recognized by the attestationId. */
function ownOrExisting(record: NewRecord, outcome: RecordOutcome & { readonly recorded: false }): RecordOutcome {
  return outcome.record?.attestationId === record.attestationId ? { recorded: true } : outcome;
}
