/** What a Certified Execution Record is: seal, attest, redact, verify. Pure: no network, disk, clock or environment. */
export {
  exceedsDepth,
  isJsonObject,
  isSameJson,
  isWellFormed,
  member,
  pickPresent,
  type CanonicalizationProfile,
  type JsonObject,
  type JsonValue,
} from '@cer/canonical-json';
export { CER_VERIFY_CODES, CerError, type CerErrorCode, type CerVerifyCode, type FailureCode } from './errors.js';
export { hashValue, isSha256Hash, sha256, type Sha256Hash } from './hash.js';
export { MAX_DEPTH, parseJson } from './parse-json.js';
export { jcsV1, svcV1 } from './profiles.js';
export {
  effectiveProtocolVersion,
  IMPLIED_PROTOCOL_VERSION,
  protocolFor,
  protocolRegistry,
  PROTOCOLS,
  RECOMMENDED_PROTOCOL_VERSION,
  type Protocol,
  type ProtocolRegistry,
} from './protocols/protocols.js';
export {
  BUNDLE_TYPES,
  bundleTypeOf,
  EXECUTION_V1,
  EXECUTION_V2,
  HASH_ONLY,
  LEGACY,
  PROJECT,
  RESEAL,
  type BundleType,
  type BundleTypeRegistry,
  type ReceiptScope,
} from './bundle-types/registry.js';
export {
  codemodeRender,
  RENDER_BUNDLE_TYPE,
  RENDER_HASH_SCHEME,
  RENDER_SNAPSHOT_TYPE,
} from './bundle-types/codemode-render.js';
export { REDACTED, type Layout, type Relaxation } from './bundle-types/layout.js';
export {
  computeCommitment,
  deriveSalts,
  openCommitment,
  SALT_BYTES,
  type ClaimedValue,
  type CommitmentSalts,
  type SealedField,
} from './commitments/commit.js';
export { formatOpenings } from './commitments/openings.js';
export { isSealedValue, type SealedValue } from './commitments/sealed-value.js';
export { wellFormedLabel } from './schema/rules.js';
export { executionRequestFaults } from './seal/execution-request.js';
export { sealBundle, sealExecution, type SealedExecution, type SealingGiven } from './seal/seal-execution.js';
export {
  attestBundle,
  attestHashOnly,
  attestProject,
  nodeIssuedTimestamp,
  type AttestationFacts,
  type AttestationMeta,
  type Attestor,
  type SealedBundle,
} from './attest/attest.js';
export { ENVELOPE_SPEC_VERSION, ENVELOPE_TYPE } from './attest/envelope.js';
export { canonicalReceipt, readReceipt, type Receipt } from './attest/receipt.js';
export { nextKeyHistoryEntry, nextRootEntry, type NextChange } from './key-history/append.js';
export { hashKeyHistoryEntry, keyHistoryHead, keyHistoryStart, type KeyHistoryEntries } from './key-history/chain.js';
export type { KeyHistoryFinding, KeyHistoryNotice, KeyHistoryRefusal } from './key-history/findings.js';
export { makeKeySetStatement, signKeySetStatement } from './key-history/statement.js';
export {
  rootFingerprintOf,
  verifyKeyHistory,
  type KeyHistoryVerification,
  type ReadKeyHistory,
  type SeenKeyHistory,
  type VerifyKeyHistoryOptions,
} from './key-history/verify.js';
export { AuditChainCheck, readAuditHead, type AuditFault } from './audit/audit-chain.js';
export {
  auditEntryHash,
  canonicalAuditEntry,
  canonicalAuditHead,
  type AuditEntry,
  type AuditHead,
  type SignedAuditEntry,
} from './audit/audit-entry.js';
export { formatCursor, parseCursor, type CursorPlace } from './audit-package/cursor.js';
export {
  AUDIT_PACKAGE_TYPE,
  canonicalManifest,
  MANIFEST_NAME,
  MANIFEST_SIGNATURE_NAME,
  readManifest,
  type AuditPackageEntry,
  type AuditPackageManifest,
  type AuditPackageQuery,
} from './audit-package/manifest.js';
export {
  manifestRefusal,
  signManifest,
  type ManifestRefusal,
  type SignedManifest,
} from './audit-package/manifest-signature.js';
export { DEFAULT_PUBLISH_SETTINGS, type PublishSettings } from './redact/publish-settings.js';
export { redact } from './redact/redact.js';
export { resealForPublication, type Original, type Reseal } from './redact/reseal.js';
export { withheldPaths, type ValuePath } from './redact/withheld-paths.js';
export { evaluateCer } from './verify/evaluate.js';
export { OUTER_EVIDENCE } from './verify/evidence.js';
export { unreadable, type Evaluation, type ResealProvenance, type SignedFacts } from './verify/evaluation.js';
export { checkContent, type ContentCheck } from './verify/check-content.js';
export { describeFinding, type Finding } from './finding.js';
export type { LayerOutcome } from './verify/layer.js';
export type { KeyRescue } from './verify/key-rescue.js';
export type { VerifyOptions } from './verify/options.js';
export type { ReportedTimestamp } from './verify/reported-timestamp.js';
export { digestOf } from './verify/stamped-digest.js';
export type {
  SoundTimestamp,
  TimestampClaim,
  TimestampCovers,
  TimestampFinding,
  TimestampVerifier,
} from './verify/timestamp-verifier.js';
export { stampedText } from './verify/timestamps.js';
export {
  classify,
  toNodeVerifyResponse,
  toReport,
  toStructuredResult,
  type Classification,
  type NodeVerifyResponse,
  type StructuredResult,
  type VerificationReport,
  type VerifierName,
} from './verify/present.js';
export { unwrap, type Unwrapped } from './verify/unwrap.js';
export { readSubject, type Subject } from './verify/subject.js';
export { buildProjectBundle, type ProjectStep } from './project/build-project.js';
export { toProjectReport, toProjectVerifyResponse, type ProjectVerifyResponse } from './project/present-project.js';
export { computeProjectHash, PROJECT_HASHED_MEMBERS, projectForHash } from './project/project-hash.js';
export { readRegistry, type RegistryEntry } from './project/registry.js';
export {
  evaluateProject,
  projectIn,
  type ProjectEvaluation,
  type StepResult,
  type VerifyProjectOptions,
} from './project/verify-project.js';
