import type { Evaluation, LayerOutcome } from '@cer/cer-core/verify';

/** The verdict in words: a headline, and its meaning in one sentence. */
export interface Verdict {
  readonly tone: 'good' | 'neutral' | 'careful' | 'bad';
  readonly headline: string;
  readonly sentence: string;
}

/** Written for readers who do not program. Only certificates that a node signed are green. */
export function verdictOf(evaluation: Evaluation): Verdict {
  const { status, code, receipt, relaxations, isHashOnly } = evaluation;
  if (code === 'VERIFICATION_MATERIAL_UNAVAILABLE') {
    return {
      tone: 'careful',
      headline: `NOT VERIFIED (${code})`,
      sentence: 'This certificate carries a signature, which cannot be checked without the public keys of its node.',
    };
  }
  if (status === 'FAILED') {
    return {
      tone: 'bad',
      headline: `FAILED (${code})`,
      sentence: 'This certificate failed verification. Do not rely on it.',
    };
  }
  if (receipt.status !== 'PASS') {
    return {
      tone: 'neutral',
      headline: 'VERIFIED: integrity only, signed by no node',
      sentence:
        'The content matches the hash in the same file. A forger who changed the content could have written a new ' +
        'hash too, because no node signed it.',
    };
  }
  if (isHashOnly) {
    return {
      tone: 'good',
      headline: 'VERIFIED: a hash, not its content',
      sentence: 'A node signed this hash at the time below. The content that it identifies is not part of the record.',
    };
  }
  if (relaxations.length > 0) {
    return {
      tone: 'careful',
      headline: 'VERIFIED under the rules of an older format',
      sentence: `The signature is valid; some current checks do not apply to this format (${relaxations.join(', ')}).`,
    };
  }
  return status === 'VERIFIED_CONFIDENTIAL'
    ? {
        tone: 'good',
        headline: 'VERIFIED, CONFIDENTIAL',
        sentence:
          'The content is unchanged and a node has signed it. Input and output are sealed: they are bound to this ' +
          'certificate, and it does not reveal them.',
      }
    : {
        tone: 'good',
        headline: 'VERIFIED',
        sentence: 'The content is unchanged since it was sealed, and a node has signed it.',
      };
}

/** One plain sentence for each of the three layers. */
export function layerSentences(evaluation: Evaluation): readonly (readonly [string, LayerOutcome, string])[] {
  return [
    ['Integrity', evaluation.integrity, integritySentence(evaluation)],
    ['Receipt', evaluation.receipt, receiptSentence(evaluation)],
    ['Envelope', evaluation.envelope, envelopeSentence(evaluation)],
  ];
}

function integritySentence({ integrity, isHashOnly, isResealed, computedCertificateHash }: Evaluation): string {
  if (integrity.status === 'PASS') {
    if (isHashOnly) return 'The hash is well formed. It has no content here to compare it with.';
    const subject = isResealed ? 'The content, as it was cut for publication, gives' : 'The content gives';
    return `${subject} exactly the hash that the certificate states.`;
  }
  return computedCertificateHash === null
    ? 'The content could not be hashed as a certificate of this kind.'
    : 'The content breaks a rule or does not give the hash that the certificate states.';
}

function receiptSentence({ receipt, keyRescue }: Evaluation): string {
  if (receipt.status === 'PASS') {
    if (keyRescue !== null) {
      return (
        "The node's signature names this very hash and fits the node's key. The key was revoked, and an independent " +
        'timestamp shows that the signature was made before that mattered.'
      );
    }
    return "The node's signature names this very hash, fits the node's key, and is dated inside that key's life.";
  }
  if (receipt.status === 'SKIPPED') return 'There is no receipt: no node vouches for this certificate.';
  return receipt.code === 'VERIFICATION_MATERIAL_UNAVAILABLE'
    ? 'There is a receipt, but no key to check its signature.'
    : 'There is a receipt, and it is invalid.';
}

function envelopeSentence({ envelope, integrity, receipt, bundle }: Evaluation): string {
  if (envelope.status === 'PASS') {
    const gap = bundle !== null && Object.hasOwn(bundle, 'policyEvaluation') ? ' It leaves out policyEvaluation.' : '';
    return `The node's second signature, over the content itself, is valid.${gap}`;
  }
  if (envelope.status === 'FAIL') {
    if (envelope.code === 'VERIFICATION_MATERIAL_UNAVAILABLE') {
      return 'There is a second signature, over the content itself, but no key to check it.';
    }
    return integrity.status === 'PASS' && receipt.status === 'PASS'
      ? "The second signature is invalid although content and receipt are valid: it, or the node's facts it covers, was altered."
      : 'The second signature, over the content itself, is invalid too.';
  }
  return envelope.reason === 'no-envelope' || envelope.reason === 'no-attestation'
    ? 'There is no second signature, over the content itself, to check.'
    : 'Parts were removed, so the content that the second signature covers cannot be rebuilt. This is not a fault.';
}
