/** Statements of a node over time: its key history, its audit chain, and packages of its records. */
export { formatCursor, parseCursor } from './audit-package/cursor.js';
export { manifestRefusal, signManifest } from './audit-package/manifest-signature.js';
export {
  AUDIT_PACKAGE_TYPE,
  canonicalManifest,
  isKnownToLog,
  MANIFEST_NAME,
  MANIFEST_SIGNATURE_NAME,
  MAX_COVERAGE_BYTES,
  readManifest,
  type AuditPackageEntry,
  type AuditPackageManifest,
  type AuditPackageQuery,
} from './audit-package/manifest.js';
export { AuditChainCheck, readAuditHead, type AuditFault } from './audit/audit-chain.js';
export {
  auditEntryHash,
  canonicalAuditEntry,
  canonicalAuditHead,
  type AuditEntry,
  type AuditHead,
  type SignedAuditEntry,
} from './audit/audit-entry.js';
export { nextKeyHistoryEntry, nextRootEntry } from './key-history/append.js';
export { hashKeyHistoryEntry, keyHistoryHead, type KeyHistoryEntries } from './key-history/chain.js';
export type { KeyHistoryFinding, KeyHistoryNotice, KeyHistoryRefusal } from './key-history/findings.js';
export { makeKeySetStatement, signKeySetStatement } from './key-history/statement.js';
export {
  rootFingerprintOf,
  verifyKeyHistory,
  type KeyHistoryVerification,
  type ReadKeyHistory,
  type SeenKeyHistory,
} from './key-history/verify.js';
