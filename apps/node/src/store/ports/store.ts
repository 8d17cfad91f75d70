import type { AlertStore } from './alerts.js';
import type { AuditStore } from './audit-log.js';
import type { CoverageStore } from './coverage.js';
import type { LeaseStore } from './leases.js';
import type { LegalHoldStore } from './legal-holds.js';
import type { LogStore } from './log.js';
import type { LogEpochStore } from './log-epochs.js';
import type { LogNoteStore } from './log-notes.js';
import type { LogRecoveryStore } from './log-recovery.js';
import type { ProjectStore } from './projects.js';
import type { QuotaStore } from './quotas.js';
import type { RatePoints } from './rate-points.js';
import type { RecordCounts } from './record-counts.js';
import type { RecordFacts } from './record-facts.js';
import type { RecordList } from './record-list.js';
import type { RecordScan } from './record-scan.js';
import type { RecordStore } from './records.js';
import type { RetentionStore } from './retention.js';
import type { SigningKeyStore } from './signing-keys.js';
import type { StoreMark } from './store-mark.js';
import type { TenantSettingsStore } from './tenant-settings.js';
import type { TenantStore } from './tenants.js';
import type { TimestampStore } from './timestamps.js';
import type { UsageStore } from './usage-reports.js';
import type { WebhookStore } from './webhooks.js';

/**
 * The node's storage, with methods named after their purpose. Two adapters implement these ports, SQLite and
 * PostgreSQL, and one contract suite runs against both. Every method may throw a StoreError; the promise of a write
 * resolves only when the write is durable.
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
  readonly recordFacts: RecordFacts;
  readonly recordScan: RecordScan;
  readonly timestamps: TimestampStore;
  readonly ratePoints: RatePoints;
  readonly quotas: QuotaStore;
  readonly log: LogStore;
  readonly logEpochs: LogEpochStore;
  readonly logNotes: LogNoteStore;
  readonly logRecovery: LogRecoveryStore;
  readonly usage: UsageStore;
  readonly recordCounts: RecordCounts;
  readonly mark: StoreMark;
  readonly alerts: AlertStore;
  readonly webhooks: WebhookStore;
  readonly coverage: CoverageStore;
  /** The schema version of the database. */
  readonly schemaVersion: number;
  /**
   * Resolves when the database answers and its last write succeeded. After a failed write a row is written to find out.
   * @throws StoreUnwritableError when it cannot be written
   */
  ping(): Promise<void>;
  /** The id of every commitment secret used by an execution or a webhook; start-up fails when one is missing. */
  referencedCommitmentSecretIds(): Promise<readonly string[]>;
  /** False for a store without any record. */
  hasRecords(): Promise<boolean>;
  /**
   * Rewrites the tables of records and projects, so that no byte of deleted rows remains. Takes as long as copying the
   * database and blocks writers.
   */
  compact(): Promise<void>;
  /** The number of records waiting for their commit. */
  pendingRecords(): number;
  /** Refuses new calls, commits all accepted ones, then closes. */
  close(): Promise<void>;
}
