export { migrate, openStore, type StoreOptions } from './open-store.js';
export type * from './ports/alerts.js';
export type * from './ports/audit-log.js';
export type * from './ports/certificate-record.js';
export type * from './ports/coverage.js';
export type * from './ports/leases.js';
export type * from './ports/legal-holds.js';
export type * from './ports/log.js';
export type * from './ports/log-epochs.js';
export type * from './ports/log-leaves.js';
export type * from './ports/log-notes.js';
export type * from './ports/log-recovery.js';
export type * from './ports/projects.js';
export type * from './ports/quotas.js';
export type * from './ports/rate-points.js';
export type * from './ports/record-counts.js';
export type * from './ports/record-list.js';
export type * from './ports/record-scan.js';
export type * from './ports/records.js';
export type * from './ports/retention.js';
export type * from './ports/signing-keys.js';
export type * from './ports/store-mark.js';
export type * from './ports/store.js';
export type * from './ports/tenant-settings.js';
export type * from './ports/tenants.js';
export type * from './ports/timestamps.js';
export type * from './ports/usage-reports.js';
export type * from './ports/webhooks.js';
export {
  StoreBusyError,
  StoreError,
  StoreRestoredError,
  StoreUnwritableError,
  wroteNothing,
} from './ports/store-error.js';
export { copyDatabase, type DatabaseMarks } from './sqlite/copy-database.js';
