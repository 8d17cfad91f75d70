import { isWellFormed } from '@cer/canonical-json';
import type { SqlRow, SqlValue } from './database.js';
import type { CertificateRecord } from '../ports/certificate-record.js';
import type { ListedRecord } from '../ports/record-list.js';
import type { ExecutionRow, NewRecord } from '../ports/records.js';
import { StoreError } from '../ports/store-error.js';

/** Column names with the value of each for a record, in order. */
export type ColumnsOf<T> = readonly (readonly [column: string, valueOf: (record: T) => SqlValue])[];

/** Of a row whose provider, model and reviewed hash were read from its bundle. */
export const DESCRIBED = '1';

/** The immutable columns of a record, in order; `visibility` is mutable and therefore separate. */
export const RECORD_COLUMNS: ColumnsOf<NewRecord> = [
  ['tenant_id', (record) => record.tenantId],
  ['certificate_hash', (record) => record.certificateHash],
  ['kind', (record) => record.kind],
  ['execution_id', (record) => record.executionId],
  ['bundle_type', (record) => record.bundleType],
  ['protocol_version', (record) => record.protocolVersion],
  ['app_id', (record) => record.appId],
  ['attestation_id', (record) => record.attestationId],
  ['attested_at', (record) => record.attestedAt],
  ['kid', (record) => record.kid],
  ['request_id', (record) => record.requestId],
  ['bundle_json', (record) => record.bundleJson],
  ['meta_json', (record) => record.metaJson],
  ['public_cer_json', (record) => record.publicCerJson],
  ['resealed_certificate_hash', (record) => record.resealedCertificateHash],
  ['provider', (record) => record.provider],
  ['model', (record) => record.model],
  ['reviewed_hash', (record) => record.reviewedHash],
  ['described', () => DESCRIBED],
];

/** The columns of `insert into executions`, in order. */
export const EXECUTION_COLUMNS: ColumnsOf<NewRecord> = [
  ['tenant_id', (record) => record.tenantId],
  ['execution_id', (record) => record.executionId],
  ['certificate_hash', (record) => record.certificateHash],
  ['bundle_created_at', (record) => record.createdAt],
  ['snapshot_timestamp', (record) => record.timestamp],
  ['commitment_secret_id', (record) => record.commitmentSecretId],
];

export function columnNames(columns: ColumnsOf<never>): readonly string[] {
  return columns.map(([column]) => column);
}

/** The uniqueness key of a record. Texts contain no NUL, so the separator is unambiguous. */
export function recordKey(record: Pick<NewRecord, 'tenantId' | 'executionId' | 'kind' | 'certificateHash'>): string {
  return record.executionId === null
    ? `${record.tenantId}\0\0${record.kind}\0${record.certificateHash}`
    : `${record.tenantId}\0${record.executionId}`;
}

/**
 * Rejects texts that a database would reject or change: PostgreSQL does not accept NUL, and UTF-8 has no lone
 * surrogates, so two different ids would become equal.
 * @throws StoreError STORE_ROW_REFUSED
 */
export function assertStorable(record: NewRecord): void {
  if (record.kind === 'hash-only' && record.executionId !== null) {
    throw new StoreError('STORE_ROW_REFUSED', 'executionId: a hash-only record has none');
  }
  for (const columns of [RECORD_COLUMNS, EXECUTION_COLUMNS]) {
    for (const [column, valueOf] of columns) {
      if (!isStorable(valueOf(record))) {
        throw new StoreError('STORE_ROW_REFUSED', `${column}: holds NUL or a lone surrogate`);
      }
    }
  }
}

export function isStorable(value: SqlValue): boolean {
  return typeof value !== 'string' || (!value.includes('\0') && isWellFormed(value));
}

export function toExecution(row: SqlRow): ExecutionRow {
  return {
    tenantId: text(row, 'tenant_id'),
    executionId: text(row, 'execution_id'),
    certificateHash: text(row, 'certificate_hash'),
    createdAt: text(row, 'bundle_created_at'),
    timestamp: text(row, 'snapshot_timestamp'),
    commitmentSecretId: textOrNull(row, 'commitment_secret_id'),
  };
}

/** The members of a row that a list of records shows as well as the record itself. */
export function toHead(row: SqlRow): Omit<ListedRecord, 'firstAttestedAt' | 'timestampedAt'> {
  return {
    certificateHash: text(row, 'certificate_hash'),
    kind: text(row, 'kind') === 'full' ? 'full' : 'hash-only',
    executionId: textOrNull(row, 'execution_id'),
    bundleType: text(row, 'bundle_type'),
    protocolVersion: textOrNull(row, 'protocol_version'),
    appId: textOrNull(row, 'app_id'),
    provider: textOrNull(row, 'provider'),
    model: textOrNull(row, 'model'),
    attestationId: text(row, 'attestation_id'),
    attestedAt: text(row, 'attested_at'),
    kid: text(row, 'kid'),
    resealedCertificateHash: textOrNull(row, 'resealed_certificate_hash'),
    visibility: visibilityOf(row),
  };
}

/** A row that is not deleted. */
export function toRecord(row: SqlRow): CertificateRecord {
  return {
    ...toHead(row),
    tenantId: text(row, 'tenant_id'),
    requestId: text(row, 'request_id'),
    bundleJson: textOrNull(row, 'bundle_json'),
    metaJson: text(row, 'meta_json'),
    publicCerJson: textOrNull(row, 'public_cer_json'),
  };
}

export function visibilityOf(row: SqlRow): CertificateRecord['visibility'] {
  const visibility = text(row, 'visibility');
  return visibility === 'visible' || visibility === 'hidden' ? visibility : 'deleted';
}

export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new StoreError('STORE_UNAVAILABLE', `${column}: the database holds no text`);
  return value;
}

export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}
