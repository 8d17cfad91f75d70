/** Codes of transparency, in the order in which the first that applies is reported. @see docs/spec.md, "Log proofs" */
const TRANSPARENCY_CODES = [
  'LOG_PROOF_MISSING',
  'LOG_PROOF_MALFORMED',
  'LOG_UNKNOWN',
  'LOG_SIGNATURE_INVALID',
  'LOG_INCLUSION_INVALID',
  'LOG_LABEL_MISMATCH',
  'LOG_QUORUM_NOT_MET',
  'LOG_TIME_CONFLICT',
  'LOG_BACKDATED',
  'LOG_LATE',
] as const;
export type TransparencyCode = (typeof TRANSPARENCY_CODES)[number];

/** Every code a verification can end with, in order of precedence. @see docs/spec.md, "Verification codes" */
export const CER_VERIFY_CODES = [
  'OK',
  'SCHEMA_ERROR',
  'SCHEMA_KEY_INVALID',
  'PROTECTED_FIELD_MISSING',
  'PROTECTED_SET_MISMATCH',
  'INVALID_SHA256_FORMAT',
  'CANONICALIZATION_ERROR',
  'SNAPSHOT_HASH_MISMATCH',
  'INPUT_HASH_MISMATCH',
  'OUTPUT_HASH_MISMATCH',
  'TOOL_OUTPUT_HASH_MISMATCH',
  'CERTIFICATE_HASH_MISMATCH',
  'PROJECT_HASH_MISMATCH',
  'STEP_REGISTRY_MISMATCH',
  'CHAIN_BREAK_DETECTED',
  'TOOL_EVIDENCE_MISSING',
  'INCOMPLETE_ARTIFACT',
  'ATTESTATION_MISSING',
  'VERIFICATION_MATERIAL_UNAVAILABLE',
  'ATTESTATION_KEY_NOT_FOUND',
  'KEY_REVOKED',
  'ATTESTATION_KEY_FORMAT_UNSUPPORTED',
  'ATTESTATION_INVALID_SIGNATURE',
  ...TRANSPARENCY_CODES,
  'UNKNOWN_ERROR',
] as const;

export type CerVerifyCode = (typeof CER_VERIFY_CODES)[number];

export type FailureCode = Exclude<CerVerifyCode, 'OK'>;

/** A domain error. `path` is a JSON path like `snapshot.signals[2].type`; the message never holds a value. */
export class CerError extends Error {
  override readonly name = 'CerError';
  readonly code: FailureCode;
  readonly path: string;

  constructor(code: FailureCode, path: string, rule: string) {
    super(path === '' ? rule : `${path}: ${rule}`);
    this.code = code;
    this.path = path;
  }
}
