/** Attesting: the signatures of a node over a sealed record, and the public form of that record. */
export {
  attestBundle,
  attestHashOnly,
  attestProject,
  type AttestationFacts,
  type AttestationMeta,
  type Attestor,
  type SealedBundle,
} from './attest/attest.js';
export { ENVELOPE_SPEC_VERSION } from './attest/envelope.js';
export { canonicalReceipt } from './attest/receipt.js';
export { DEFAULT_PUBLISH_SETTINGS, type PublishSettings } from './redact/publish-settings.js';
export { resealForPublication } from './redact/reseal.js';
export { withheldPaths } from './redact/withheld-paths.js';
export { timestampDigest } from './verify/timestamp-digest.js';
export { timestampedText } from './verify/timestamps.js';
