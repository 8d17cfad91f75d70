import type { AuditStore } from './audit-log.js';
import type { LeaseStore } from './leases.js';
import type { LegalHoldStore } from './legal-holds.js';
import type { ProjectStore } from './projects.js';
import type { QuotaStore } from './quotas.js';
import type { RatePoints } from './rate-points.js';
import type { RecordCounts } from './record-counts.js';
import type { RecordList } from './record-list.js';
import type { RecordScan } from './record-scan.js';
import type { RecordStore } from './records.js';
import type { RetentionStore } from './retention.js';
import type { SigningKeyStore } from './signing-keys.js';
import type { TenantSettingsStore } from './tenant-settings.js';
import type { TenantStore } from './tenants.js';
import type { TimestampStore } from './timestamps.js';
import type { UsageStore } from './usage-reports.js';

/**
 * What the node keeps, worded by intent. Two adapters stand behind these ports, SQLite and PostgreSQL, and one contract
 * suite holds both. Every method may throw a StoreError; a promise of a write resolves only when the write is durable.
 */
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
  readonly timestamps: TimestampStore;
  readonly ratePoints: RatePoints;
  readonly quotas: QuotaStore;
  readonly usage: UsageStore;
  readonly recordCounts: RecordCounts;
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
