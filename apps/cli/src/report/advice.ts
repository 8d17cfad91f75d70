import type { FailureCode } from '@cer/cer-core';

const ASK_FOR_ORIGINAL =
  'Ask your source for the original as the node returned it, or look the certificate up at the node.';
const READ_SPEC =
  'The file is not a certificate of a kind that this version knows. Check that it is the right file, and complete. ' +
  'A file with the members error and message is the refusal of a node: correct the request, and send it again.';
const ASK_PRODUCER = 'Ask its producer to seal it again; this file cannot be repaired.';
const CHECK_KEYS =
  'Check that the key set is that of the node named in the receipt, fetched recently (--keys with the address of the node).';

const FETCH_PROOF = 'Fetch the proof again (cer log proof). If it fails again, ask the operator of the log.';
const KEEP_EVIDENCE = 'Keep this file: it is evidence against the operator of the log. Show it to your auditor.';

/** The advice for each failure code. */
const ADVICE = {
  SCHEMA_ERROR: READ_SPEC,
  SCHEMA_KEY_INVALID: ASK_PRODUCER,
  PROTECTED_FIELD_MISSING: ASK_FOR_ORIGINAL,
  PROTECTED_SET_MISMATCH: ASK_FOR_ORIGINAL,
  INVALID_SHA256_FORMAT: ASK_FOR_ORIGINAL,
  CANONICALIZATION_ERROR: ASK_PRODUCER,
  SNAPSHOT_HASH_MISMATCH: ASK_FOR_ORIGINAL,
  INPUT_HASH_MISMATCH: ASK_FOR_ORIGINAL,
  OUTPUT_HASH_MISMATCH: ASK_FOR_ORIGINAL,
  TOOL_OUTPUT_HASH_MISMATCH: ASK_FOR_ORIGINAL,
  CERTIFICATE_HASH_MISMATCH: ASK_FOR_ORIGINAL,
  PROJECT_HASH_MISMATCH: ASK_FOR_ORIGINAL,
  STEP_REGISTRY_MISMATCH: ASK_FOR_ORIGINAL,
  CHAIN_BREAK_DETECTED: ASK_FOR_ORIGINAL,
  TOOL_EVIDENCE_MISSING: ASK_PRODUCER,
  INCOMPLETE_ARTIFACT: 'A full certificate is required. Ask the holder of the original for it.',
  ATTESTATION_MISSING: 'Ask for the certificate as the node returned it, with its receipt and signature.',
  VERIFICATION_MATERIAL_UNAVAILABLE:
    'Pass the keys of the node: --keys with a saved key set, or with the address of the node.',
  ATTESTATION_KEY_NOT_FOUND: CHECK_KEYS,
  KEY_REVOKED:
    'The node revoked this key. If the certificate carries an earlier timestamp, check it with ' +
    '--tsa-roots. Otherwise ask for the certificate to be attested again with a valid key.',
  ATTESTATION_KEY_FORMAT_UNSUPPORTED: CHECK_KEYS,
  ATTESTATION_INVALID_SIGNATURE: `${ASK_FOR_ORIGINAL} ${CHECK_KEYS}`,
  LOG_PROOF_MISSING: 'Fetch the proof from the node (cer log proof) and add it (cer log attach, or --log-proof).',
  LOG_PROOF_MALFORMED: FETCH_PROOF,
  LOG_UNKNOWN: 'Name the log in the policy (--log-policy) if you trust it; its operator publishes the key of the log.',
  LOG_SIGNATURE_INVALID: FETCH_PROOF,
  LOG_INCLUSION_INVALID: FETCH_PROOF,
  LOG_LABEL_MISMATCH: KEEP_EVIDENCE,
  LOG_QUORUM_NOT_MET:
    'A proof keeps the witnesses of its time. Add them to your policy if you trust them; the operator publishes their keys.',
  LOG_TIME_CONFLICT: KEEP_EVIDENCE,
  LOG_BACKDATED: KEEP_EVIDENCE,
  LOG_LATE: FETCH_PROOF,
  UNKNOWN_ERROR: 'Please report this, with the file if you may share it.',
} as const satisfies Record<FailureCode, string>;

const KEYS_UNAVAILABLE =
  'The keys that you named were not used: see under "Who signed" why. Correct that, or pass a saved key set.';

/** The advice for a failure; `unavailable` is the reason why the keys that the caller named could not be used. */
export function adviceFor(code: FailureCode, unavailable: string | null = null): string {
  return code === 'VERIFICATION_MATERIAL_UNAVAILABLE' && unavailable !== null ? KEYS_UNAVAILABLE : ADVICE[code];
}

/** Is this the code of a failure? */
export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && Object.hasOwn(ADVICE, code);
}
