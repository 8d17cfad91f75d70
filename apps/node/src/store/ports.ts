import type { CertificateRecord, RecordKind, Visibility } from './certificate-record.js';
import type { LegalHoldStore } from './legal-hold-port.js';
import type { RecordCensus } from './census-port.js';
import type { QuotaStore } from './quota-port.js';
import type { RatePoints } from './rate-port.js';
import type { RecordList } from './record-list-port.js';
import type { RecordScan } from './record-scan-port.js';
import type { RetentionStore } from './retention-port.js';
import type { SigningKeyStore } from './signing-key-port.js';
import type { StampStore } from './stamp-port.js';
import type { UsageStore } from './usage-port.js';
import type { TenantSettingsStore } from './tenant-settings-port.js';

export type { CertificateRecord, RecordKind, Visibility } from './certificate-record.js';

/**
 * What the node keeps, worded by intent. Two adapters stand behind these ports, SQLite and PostgreSQL, and one contract
 * suite holds both. Every method may throw a StoreError; a promise of a write resolves only when the write is durable.
 */

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

/** The columns that hold what the node signed, replaced together when a record is stamped or attested anew. */
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

export interface ProjectStep {
  readonly stepId: string;
  readonly certificateHash: string;
}

/** One registration of one tenant, unique on (tenant, projectHash). Steps are references, never bundles. */
export interface ProjectRegistration {
  readonly tenantId: string;
  readonly projectHash: string;
  /** The node's time: ISO 8601, UTC, milliseconds, `Z`. */
  readonly registeredAt: string;
  readonly totalSteps: number;
  /** The hashed members of the project bundle, without embedded bundles. */
  readonly projectJson: string;
  /** In registry order. */
  readonly stepHashes: readonly ProjectStep[];
  readonly receiptJson: string;
  readonly signature: string;
  readonly kid: string;
  readonly requestId: string;
}

/** `existing` is null when the registration was deleted. */
export type RegisterOutcome =
  { readonly registered: true } | { readonly registered: false; readonly existing: ProjectRegistration | null };

export interface ProjectStore {
  /** Keeps a registration unless the tenant already registered this hash. */
  registerOnce(registration: ProjectRegistration, visibility: FirstVisibility): Promise<RegisterOutcome>;
  /** What the public sees: the earliest visible registration of this hash. */
  findByHash(projectHash: string): Promise<ProjectRegistration | null>;
  /** The tenant's own, hidden included. */
  findOwnByHash(tenantId: string, projectHash: string): Promise<ProjectRegistration | null>;
  /** As for records. @returns how many registrations changed */
  setVisibility(projectHash: string, visibility: Visibility, tenantId?: string): Promise<number>;
}

export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
}

export interface NewApiKey {
  readonly tenantId: string;
  /** SHA-256 of the key; the key itself is never kept. */
  readonly keyHash: string;
  /** The first characters, for people who list their keys. */
  readonly prefix: string;
  readonly scopes: readonly string[];
}

export interface ApiKey {
  readonly keyId: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  /** False once revoked. */
  readonly active: boolean;
}

export interface TenantStore {
  /** The tenant of this name, made when there is none. */
  createTenant(name: string): Promise<Tenant>;
  findTenant(name: string): Promise<Tenant | null>;
  /** @throws StoreError STORE_ROW_REFUSED for an unknown tenant or a hash that is already a key */
  createApiKey(key: NewApiKey): Promise<ApiKey>;
  /** Revoked keys are found too, with `active: false`. */
  findApiKey(keyHash: string): Promise<ApiKey | null>;
  /** Oldest first. */
  listApiKeys(tenantId: string): Promise<readonly ApiKey[]>;
  /** @returns false when there is no such active key */
  revokeApiKey(keyId: string): Promise<boolean>;
}

/** Who of several processes does what only one may do at a time. The clock is the database's. */
export interface LeaseStore {
  /** Takes a free or expired lease, or renews the holder's own. @returns whether the holder has it now */
  acquire(name: string, holder: string, forMs: number): Promise<boolean>;
  /** Gives it back; of another holder's lease nothing happens. */
  release(name: string, holder: string): Promise<void>;
}

/** One line of the audit log as it is kept. */
export interface AuditRow {
  readonly seq: number;
  /** The canonical entry: what was hashed. */
  readonly entryJson: string;
  readonly hash: string;
  readonly kid: string;
  readonly signature: string;
}

/** Append-only; the database refuses to change or remove a row. */
export interface AuditStore {
  /** @returns false when the place `seq` is taken by another row: read the last one again */
  append(row: AuditRow): Promise<boolean>;
  /** The newest; null for an empty log. */
  last(): Promise<AuditRow | null>;
  /** The rows after `seq`, in order, at most `limit`. */
  after(seq: number, limit: number): Promise<readonly AuditRow[]>;
}

export interface Store {
  readonly records: RecordStore;
  readonly projects: ProjectStore;
  readonly tenants: TenantStore;
  readonly tenantSettings: TenantSettingsStore;
  readonly legalHolds: LegalHoldStore;
  readonly retention: RetentionStore;
  readonly leases: LeaseStore;
  readonly audit: AuditStore;
  readonly signingKeys: SigningKeyStore;
  readonly recordList: RecordList;
  readonly recordScan: RecordScan;
  readonly stamps: StampStore;
  readonly ratePoints: RatePoints;
  readonly quotas: QuotaStore;
  readonly usage: UsageStore;
  readonly census: RecordCensus;
  /** The migration that the database is at. */
  readonly schemaVersion: number;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Every commitment secret that some execution was sealed under; start-up refuses when one is missing. */
  referencedCommitmentSecretIds(): Promise<readonly string[]>;
  /** False for a store that has never recorded anything. */
  hasRecords(): Promise<boolean>;
  /**
   * Writes the tables of records and projects anew, so that no byte of what was deleted is left in them. Takes as long as
   * copying the database, and keeps writers waiting.
   */
  compact(): Promise<void>;
  /** How many records wait for their commit now. */
  pendingRecords(): number;
  /** Refuses new calls, commits everything that was accepted, then closes. */
  close(): Promise<void>;
}
