import type { CertificateRecord, RecordKind, Visibility } from './certificate-record.js';
import type { NewLeaf } from './log-leaves.js';

/** One used executionId of one tenant. Stored permanently, even after the record is deleted. */
export interface ExecutionRow {
  readonly tenantId: string;
  readonly executionId: string;
  readonly certificateHash: string;
  /** The exact text in the bundle, so that a repeated request seals to the same hash. */
  readonly createdAt: string;
  /** The exact text in the snapshot. */
  readonly timestamp: string;
  /** The commitment secret of a confidential record. */
  readonly commitmentSecretId: string | null;
}

/**
 * A record to store, with the values of its execution row (used only with an `executionId`). The settings of its tenant,
 * read in the transaction that stores it, determine its visibility.
 */
export interface NewRecord extends Omit<CertificateRecord, 'visibility'> {
  /** The hash that a human review is about; null in every other record. */
  readonly reviewedHash: string | null;
  readonly createdAt: string;
  readonly timestamp: string;
  readonly commitmentSecretId: string | null;
  /** Stored with the record, or not at all; absent without a log. */
  readonly leaves?: readonly NewLeaf[];
}

/**
 * `existing` is null when the record has no executionId. `record` is null when it was deleted.
 * The caller compares certificate hashes: equal is a replay, different a mutation.
 */
export type RecordOutcome =
  | { readonly recorded: true }
  | { readonly recorded: false; readonly existing: ExecutionRow | null; readonly record: CertificateRecord | null };

/** The columns with signed content, replaced together when a record is timestamped or attested again. */
export type AttestationColumns = Pick<
  CertificateRecord,
  'attestationId' | 'attestedAt' | 'kid' | 'metaJson' | 'publicCerJson'
>;

export interface RecordStore {
  /**
   * Announces a record that is being signed, so that others may share its commit.
   * @returns to be called once, shortly before `recordOnce` or when the record will not be stored
   */
  expectRecord(): () => void;

  /**
   * Stores a record unless its (tenant, executionId) is taken, or, without an executionId, its (tenant,
   * certificateHash, kind). Of any number of concurrent calls, in any number of processes, exactly one gets `recorded:
   * true`.
   * @throws StoreBusyError when too many calls wait for their commit
   * @throws StoreError STORE_ROW_REFUSED for a row that databases reject: NUL or a lone surrogate in a text, or a full
   * record whose hash the tenant already has under another executionId
   */
  recordOnce(record: NewRecord): Promise<RecordOutcome>;

  /** The tenant's execution, including a hidden record; `record` is null when it was deleted. */
  findExecution(
    tenantId: string,
    executionId: string,
  ): Promise<{ readonly execution: ExecutionRow; readonly record: CertificateRecord | null } | null>;

  /**
   * The public record of a hash: the earliest visible full record with this certificateHash or resealedCertificateHash;
   * without one, the earliest visible hash-only record.
   */
  findByHash(certificateHash: string): Promise<CertificateRecord | null>;

  /** The tenant's own record of this original hash, including a hidden but not a deleted one. */
  findOwnByHash(tenantId: string, certificateHash: string, kind: RecordKind): Promise<CertificateRecord | null>;

  /**
   * Earliest first. Without `tenantId` the visible ones of all tenants; with it that tenant's own, including hidden
   * ones.
   */
  findByExecutionId(
    executionId: string,
    options: { readonly tenantId?: string; readonly limit: number },
  ): Promise<readonly CertificateRecord[]>;

  /**
   * The visibility of each of these original hashes that the tenant has as a full record. A hash missing from the
   * result was never recorded in full by this tenant.
   */
  visibilityOfFullRecords(
    tenantId: string,
    certificateHashes: readonly string[],
  ): Promise<ReadonlyMap<string, Visibility>>;

  /**
   * Unhides, hides or deletes every record of a hash (original or resealed), of one tenant or of all. Deleting erases
   * the JSON and keeps the execution row; a deleted record stays deleted, and one under a legal hold is not deleted.
   * @param auditSeq of the audit entry of a deletion, for the log
   * @returns the number of changed records
   */
  setVisibility(certificateHash: string, visibility: Visibility, tenantId?: string, auditSeq?: number): Promise<number>;

  /**
   * Replaces the signed content of a record unless it changed since it was read: compare and swap on `metaJson` and
   * `publicCerJson`. The hashes and the bundle never change.
   * @returns false when the record changed or was deleted; read it again
   */
  replaceAttestation(
    asRead: CertificateRecord,
    next: AttestationColumns,
    leaves?: readonly NewLeaf[],
  ): Promise<boolean>;
}
