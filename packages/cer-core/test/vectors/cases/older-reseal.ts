import {
  attest,
  change,
  keySet,
  keySetWith,
  object,
  ORIGINAL_HASH,
  OTHER,
  seal,
  sign,
  v1,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type Vector } from '../vector.js';

const CLAIMED = { provenance: 'claimed' };
const R = '[REDACTED]';

export async function olderResealCases(): Promise<Vector[]> {
  const labelled = (bundle: JsonObject, label: 'kind' | 'mode' = 'kind'): JsonObject =>
    label === 'kind'
      ? change(bundle, 'meta', {
          ...object(bundle['meta'] ?? {}),
          provenance: { kind: 'redacted_reseal', originalCertificateHash: ORIGINAL_HASH },
        })
      : change(bundle, 'meta.attestation.mode', 'redacted_reseal');
  const redactedBy = (path: string): JsonObject => seal(change(v1(), path, undefined));
  const redacted = seal(v1({ inputHash: R, prompt: R }));
  const receipted = await attest(redacted, { envelope: false });
  const certified = await attest(seal(v1()));
  /** Content that is intact only as a reseal, beside an envelope of other content. */
  const beside = labelled(await attest(redactedBy('snapshot.inputHash')));
  const otherEnvelope = change(beside, 'meta.verificationEnvelopeSignature', await sign(OTHER, 'x'));
  /** Older nodes resealed without the context in the hash. */
  const full = v1({ inputHash: R }, { context: { signals: [] }, contextSummary: { a: 1 } });
  const withoutContext = {
    ...full,
    certificateHash:
      seal(full, ['bundleType', 'version', 'createdAt', 'snapshot', 'contextSummary'])['certificateHash'] ?? null,
  };
  const unprotected = labelled(await attest(withoutContext, { envelope: false }));
  const later = keySetWith({ contextUnprotectedBefore: '2026-06-01T00:00:00Z' });
  const relaxed = passes('PPPS', {
    ...CLAIMED,
    classification: 'LEGACY_VERIFIED',
    relaxations: ['context-excluded'],
    supplemental: true,
    reasonCodes: ['CONTEXT_NOT_PROTECTED'],
  });
  const refusedContext = fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPPS', CLAIMED);
  const RULE =
    'They verify only if a valid receipt names that hash and the key’s entry has contextUnprotectedBefore later than the receipt.';
  const LABEL = 'Nothing a label says loosens a check.';
  const SKIPS = 'The envelope of an older reseal is skipped where the bundle is not intact as the type it states.';
  return group('older-reseal', 'signed-redacted-reseal', keySet(), [
    [
      'by-provenance-kind',
      'Bundles from older nodes are recognised as reseals.',
      labelled(receipted),
      passes('PPPS', CLAIMED),
    ],
    [
      'by-attestation-mode',
      'Bundles from older nodes are recognised as reseals.',
      labelled(receipted, 'mode'),
      passes('PPPS', CLAIMED),
    ],
    ['without-receipt', LABEL, labelled(redacted), fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash')],
    [
      'with-a-receipt-of-another-hash',
      LABEL,
      labelled({ ...receipted, certificateHash: seal(v1())['certificateHash'] ?? null }),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPFS'),
    ],
    [
      'without-label',
      'A v1 bundle with removed hashes and no label is malformed.',
      receipted,
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPPS'),
    ],
    [
      'label-on-a-broken-envelope',
      LABEL,
      labelled(change(certified, 'meta.verificationEnvelopeSignature', 'x')),
      fails('ATTESTATION_INVALID_SIGNATURE', 'meta.verificationEnvelopeSignature', 'PPPF', CLAIMED),
    ],
    [
      'beside-another-envelope',
      SKIPS,
      otherEnvelope,
      passes('PPPS', CLAIMED),
      { heading: 'Layer 3: envelope' },
    ],
    [
      'beside-half-an-envelope',
      'An envelope without its signature or the reverse is FAIL, whatever the bundle is.',
      change(beside, 'meta.verificationEnvelopeSignature', undefined),
      fails('ATTESTATION_INVALID_SIGNATURE', 'meta.verificationEnvelopeSignature', 'PPPF', CLAIMED),
      { heading: 'Layer 3: envelope' },
    ],
    [
      'beside-another-envelope-without-label',
      'Only a reseal skips its envelope.',
      change(otherEnvelope, 'meta.provenance', undefined),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPPF'),
      { heading: 'Layer 3: envelope' },
    ],
    [
      'beside-another-envelope-with-a-forged-receipt',
      LABEL,
      change(otherEnvelope, 'meta.attestation.signature', await sign(OTHER, 'x')),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FFPF', CLAIMED),
    ],
    [
      'beside-another-envelope-and-a-copy-that-differs',
      'Where layer 3 has no envelope to check, layer 2 compares the copy of `protocolVersion`.',
      change(otherEnvelope, 'meta.attestation.protocolVersion', '1.3.0'),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPFF', CLAIMED),
      { heading: 'Attestation' },
    ],
    [
      'label-on-a-whole-bundle',
      'The label on a bundle that holds by itself changes nothing.',
      labelled(certified),
      passes('PPPP', CLAIMED),
    ],
    [
      'label-on-a-whole-bundle-without-type',
      'The label on a bundle that holds by itself changes nothing.',
      labelled(await attest(seal(change(v1(), 'snapshot.type', undefined)))),
      passes('PPPP', {
        ...CLAIMED,
        classification: 'LEGACY_VERIFIED',
        relaxations: ['snapshot-type-absent'],
      }),
    ],
    [
      'label-on-changed-content',
      LABEL,
      labelled(change(certified, 'snapshot.model', R)),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPPS', CLAIMED),
    ],
    ['context-excluded', RULE, unprotected, relaxed, { keySet: later }],
    [
      'context-excluded-beside-another-envelope',
      SKIPS,
      change(
        labelled(await attest(withoutContext)),
        'meta.verificationEnvelopeSignature',
        await sign(OTHER, 'x'),
      ),
      relaxed,
      { keySet: later, heading: 'Layer 3: envelope' },
    ],
    ['context-excluded-by-no-key', RULE, unprotected, refusedContext],
    [
      'context-excluded-but-signed-later',
      RULE,
      unprotected,
      refusedContext,
      { keySet: keySetWith({ contextUnprotectedBefore: '2026-01-02T03:04:05.678Z' }) },
    ],
    [
      'context-excluded-without-receipt',
      RULE,
      change(unprotected, 'meta.attestation', undefined),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FSSS', CLAIMED),
      { keySet: later },
    ],
    [
      'context-excluded-without-label',
      RULE,
      change(unprotected, 'meta.provenance', undefined),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPPS'),
      { keySet: later },
    ],
    [
      'context-excluded-beside-another-fault',
      'Only when nothing but the hash differs, the context may be outside it.',
      change(unprotected, 'context', 'x'),
      fails('SCHEMA_ERROR', 'context', 'FPPS', {
        ...CLAIMED,
        ...{ relaxations: [], supplemental: false, reasonCodes: ['SCHEMA_ERROR', 'CERTIFICATE_HASH_MISMATCH'] },
      }),
      { keySet: later },
    ],
    [
      'context-summary-changed',
      'Only the context may be outside the hash.',
      change(unprotected, 'contextSummary.a', 2),
      refusedContext,
      { keySet: later },
    ],
    [
      'context-excluded-under-a-revoked-key',
      RULE,
      unprotected,
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FFPS'),
      {
        keySet: keySetWith({
          contextUnprotectedBefore: '2026-06-01T00:00:00Z',
          status: 'revoked',
          revokedAt: '2026-06-01T00:00:00Z',
        }),
      },
    ],
  ]);
}
