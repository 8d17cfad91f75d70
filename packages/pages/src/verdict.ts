/** The wording of a verified certificate: one for the public verifier and for the pages of an account. Pure. */

/** The headlines of a certificate. */
export type CertificateHeadline =
  | 'attested'
  | 'confidential'
  | 'hashOnly'
  | 'legacy'
  | 'integrityOnly'
  | 'unverifiable'
  | 'failed';

export const CERTIFICATE_HEADLINES = {
  attested: {
    title: 'Verified',
    lead: 'The record is unchanged, and the node named below signed it.',
  },
  confidential: {
    title: 'Verified, contents confidential',
    lead: 'The record is unchanged and signed. Input and output are bound by commitments; their text is not part of the certificate.',
  },
  hashOnly: {
    title: 'Verified: a hash, not its content',
    lead: 'The node named below signed this hash. Its content is not part of the record, and the node has not seen it.',
  },
  legacy: {
    title: 'Verified under older rules',
    lead: 'The record is of an older form with weaker coverage. The members covered by those rules are unchanged and signed.',
  },
  integrityOnly: {
    title: 'Integrity only, signed by no node',
    lead: 'The content matches its own hash. No node has signed it: the author of the file could have given it any content.',
  },
  unverifiable: {
    title: 'Could not be verified',
    lead: 'The keys for checking the signature are missing. This is neither for nor against the record.',
  },
  failed: {
    title: 'Verification failed',
    lead: 'At least one check did not pass. Do not rely on this record before the reason is known.',
  },
} as const satisfies Readonly<Record<CertificateHeadline, { title: string; lead: string }>>;

/** The three checks. */
export const LAYER_TEXTS = {
  title: 'Three checks',
  integrity: {
    name: 'Integrity',
    PASS: 'The hash was computed again from the content and is the same. Nothing that the hash covers was changed.',
    FAIL: 'The content does not give this hash, or has no valid form.',
    SKIPPED: 'Integrity is never skipped.',
  },
  receipt: {
    name: 'Node receipt',
    PASS: 'The node’s Ed25519 signature is valid, the receipt names this very hash and node, and the key was in force.',
    FAIL: 'The receipt does not vouch for this record.',
    SKIPPED: 'The record carries no attestation: no node has signed it.',
  },
  envelope: {
    name: 'Verification envelope',
    PASS: 'A second signature binds the content to the attestation’s id, time, key, runtime and protocol.',
    FAIL: 'An envelope is there, but its signature or its members do not fit.',
    SKIPPED: 'There is nothing to check here.',
  },
  reasons: {
    'no-keys': 'A signature is there, and no key that counts to check it with. That says nothing for or against it.',
    'no-attestation': 'The record carries no attestation: no node has signed it.',
    'no-envelope':
      'The record carries no envelope. Public records carry none, because values may be withheld from them.',
    redacted: 'Values were withheld from this public record, so the signed envelope cannot be rebuilt.',
    resealed:
      'The hash of the public form was computed again from the content and is the same. Nothing that it covers was changed.',
    rescued:
      'The node’s Ed25519 signature is valid, and the receipt names this very hash and node. The key was revoked since; a timestamp shows that the receipt is older.',
  } as Readonly<Record<string, string>>,
  status: { PASS: 'Pass', FAIL: 'Fail', SKIPPED: 'Skipped' },
} as const;

/** The facts that determine a headline. */
export interface CertificateVerdict {
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED';
  /** Of the node's answer: `UNVERIFIABLE` where material is missing, `LEGACY_VERIFIED` under older rules. */
  readonly classification: string;
  readonly isReceiptValid: boolean;
  readonly isHashOnly: boolean;
}

export function certificateHeadline(verdict: CertificateVerdict): CertificateHeadline {
  const { status, classification, isReceiptValid, isHashOnly } = verdict;
  if (status === 'FAILED') return classification === 'UNVERIFIABLE' ? 'unverifiable' : 'failed';
  if (!isReceiptValid) return 'integrityOnly';
  if (isHashOnly) return 'hashOnly';
  if (classification === 'LEGACY_VERIFIED') return 'legacy';
  return status === 'VERIFIED_CONFIDENTIAL' ? 'confidential' : 'attested';
}
