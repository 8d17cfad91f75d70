import type { CertificateRecord, RecordKind, Visibility } from './certificate-record.js';

/** One used executionId of one tenant. Kept forever, whatever happens to the record. */
export interface ExecutionRow {
  readonly tenantId: string;
  readonly executionId: string;
  readonly certificateHash: string;
  /** The bundle's own, to the letter, so that a repeated request seals to the same hash. */
  readonly createdAt: string;
  /** The snapshot's own, to the letter. */
  readonly timestamp: string;
  /** The commitment secret that a confidential record was sealed under. */
  readonly commitmentSecretId: string | null;
}

/** How a record or a project is kept at first. */
export type FirstVisibility = Exclude<Visibility, 'deleted'>;

/** A record to keep, with what its execution row remembers (read only when `executionId` is given). */
export interface NewRecord extends Omit<CertificateRecord, 'visibility'> {
  readonly visibility: FirstVisibility;
  readonly createdAt: string;
  readonly timestamp: string;
  readonly commitmentSecretId: string | null;
}

/**
 * `existing` is null when the record has no executionId. `record` is null when it was deleted.
 * The caller compares certificate hashes: equal is a replay, different a mutation.
 */
export type RecordOutcome =
  | { readonly recorded: true }
  | { readonly recorded: false; readonly existing: ExecutionRow | null; readonly record: CertificateRecord | null };

/** The columns that hold what the node signed, replaced together when a record is timestamped or attested anew. */
export type AttestationColumns = Pick<
  CertificateRecord,
  'attestationId' | 'attestedAt' | 'kid' | 'metaJson' | 'publicCerJson'
>;

export interface RecordStore {
  /**
   * Keeps a record unless its (tenant, executionId) is taken, or, without an executionId, its (tenant, certificateHash,
   * kind). Of any number of racing calls, in any number of processes, exactly one is told `recorded: true`.
   * @throws StoreBusyError when too many calls wait for their commit
   * @throws StoreError STORE_ROW_REFUSED for a row no database takes: NUL or a lone surrogate in a text, or a full
   *   record whose hash the tenant already holds under another executionId
   */
  recordOnce(record: NewRecord): Promise<RecordOutcome>;

  /** The tenant's own, hidden included; `record` is null when it was deleted. */
  findExecution(
    tenantId: string,
    executionId: string,
  ): Promise<{ readonly execution: ExecutionRow; readonly record: CertificateRecord | null } | null>;

  /**
   * What the public sees under a hash: the earliest visible full record with this certificateHash or this
   * resealedCertificateHash; only when there is none, the earliest visible hash-only one.
   */
  findByHash(certificateHash: string): Promise<CertificateRecord | null>;

  /** The tenant's own record of this original hash, hidden included, deleted not. */
  findOwnByHash(tenantId: string, certificateHash: string, kind: RecordKind): Promise<CertificateRecord | null>;

  /** Earliest first. Without `tenantId` visible ones of all tenants; with it that tenant's own, hidden included. */
  findByExecutionId(
    executionId: string,
    options: { readonly tenantId?: string; readonly limit: number },
  ): Promise<readonly CertificateRecord[]>;

  /**
   * Which of these original hashes the tenant holds as full records, and how visible each is. A hash that is missing
   * from the answer was never recorded in full by this tenant.
   */
  visibilityOfFullRecords(
    tenantId: string,
    certificateHashes: readonly string[],
  ): Promise<ReadonlyMap<string, Visibility>>;

  /**
   * Shows, hides or deletes every record of a hash (original or resealed), of one tenant or of all. Deleting erases the
   * JSON and keeps the execution row; a deleted record stays deleted, and one under a legal hold is not deleted.
   * @returns how many records changed
   */
  setVisibility(certificateHash: string, visibility: Visibility, tenantId?: string): Promise<number>;

  /**
   * Replaces what the node signed over a record, unless somebody else did since it was read: compare and swap on
   * `metaJson` and `publicCerJson`. The hashes and the bundle never change.
   * @returns false when the record is not as it was read, or was deleted; read it again
   */
  replaceAttestation(asRead: CertificateRecord, next: AttestationColumns): Promise<boolean>;
}
