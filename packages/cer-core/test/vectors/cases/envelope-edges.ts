import { attest, change, hashOnly, keySet, object, pick, seal, v1, without } from '../forge.js';
import { fails, group, passes, type Vector } from '../vector.js';

const RECEIPT = 'meta.attestation.receipt';

/** Envelopes beside parts of an attestation, and the copies that they may lack. */
export async function envelopeEdgeCases(): Promise<Vector[]> {
  const certified = await attest(seal(v1()));
  const meta = object(certified['meta']);
  const PART = 'Any part of an attestation without the rest of the receipt is FAIL ATTESTATION_MISSING.';
  const MISSING = ['ATTESTATION_MISSING', 'ATTESTATION_INVALID_SIGNATURE'];
  const facts = {
    ...certified,
    meta: { ...meta, attestation: without(object(meta['attestation']), 'receipt', 'signature') },
  };
  const layer2 = { heading: 'Layer 2: receipt' };
  const unknown = change(certified, 'bundleType', 'cer.ai.execution.v9');
  return group('envelope', 'Layer 3: envelope', keySet(), [
    [
      'without-an-attestation',
      PART,
      { ...certified, meta: pick(meta, ['verificationEnvelope', 'verificationEnvelopeSignature']) },
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', { reasonCodes: MISSING }),
      layer2,
    ],
    [
      'alone-without-its-signature',
      PART,
      { ...certified, meta: pick(meta, ['verificationEnvelope']) },
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', { reasonCodes: MISSING }),
      layer2,
    ],
    [
      'signature-alone',
      PART,
      { ...certified, meta: pick(meta, ['verificationEnvelopeSignature']) },
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', { reasonCodes: MISSING }),
      layer2,
    ],
    [
      'beside-an-attestation-without-a-receipt',
      'The five members equal those of meta.attestation; the key is chosen by the signed kid and attestedAt.',
      facts,
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFP', { reasonCodes: ['ATTESTATION_MISSING'] }),
    ],
    [
      'without-a-receipt-and-without-keys',
      'A missing key set is VERIFICATION_MATERIAL_UNAVAILABLE.',
      facts,
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', {
        reasonCodes: ['ATTESTATION_MISSING', 'VERIFICATION_MATERIAL_UNAVAILABLE'],
      }),
      { keySet: null },
    ],
    [
      'without-a-receipt-under-an-unknown-key',
      'An unknown kid is ATTESTATION_INVALID_SIGNATURE.',
      facts,
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', { reasonCodes: MISSING }),
      { keySet: keySet([]) },
    ],
    [
      'faulty-without-keys',
      'One of the five missing is ATTESTATION_INVALID_SIGNATURE.',
      change(facts, 'meta.verificationEnvelope.attestation.kid', 'another'),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', { reasonCodes: MISSING }),
      { keySet: null },
    ],
    [
      'without-the-copy-of-its-kid',
      '`kid` beside them, when present, is a copy and must be equal too.',
      change(certified, 'meta.verificationEnvelope.kid', undefined),
      passes('PPPP'),
    ],
    [
      'beside-an-attestation-without-its-time',
      'An absent kid or attestedAt there is the receipt’s.',
      change(certified, 'meta.attestation.attestedAt', undefined),
      passes('PPPP'),
    ],
    [
      'of-an-unknown-type-with-a-removed-value',
      'SKIPPED where a member in hash scope holds "[REDACTED]"; an unknown type has no hash scope.',
      change(unknown, 'snapshot.model', '[REDACTED]'),
      fails('SCHEMA_ERROR', 'bundleType', 'FPFF', {
        supplemental: false,
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED', 'ATTESTATION_INVALID_SIGNATURE'],
      }),
    ],
    [
      'beside-a-hash-alone',
      'Members outside the hash scope of a hash-only bundle are supplemental, whatever they hold.',
      {
        ...(await attest(hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } })),
        ...{ contextSummary: {}, policyEvaluation: null },
      },
      passes('PPPS', { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] }),
      { heading: 'Supplemental content' },
    ],
    [
      'signature-around-a-bundle',
      PART,
      { cer: seal(v1()), ...pick(meta, ['verificationEnvelopeSignature']) },
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFF', { reasonCodes: MISSING }),
      layer2,
    ],
  ]);
}
