import {
  ACTIVE,
  at,
  attest,
  change,
  commitment,
  confidential,
  hashOf,
  hashText,
  keySet,
  keySetWith,
  object,
  olderReceipt,
  ORIGINAL_HASH,
  OTHER,
  pick,
  reseal,
  seal,
  sign,
  TIME,
  v1,
  v2,
  without,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const PROVEN = { provenance: 'proven' };
const CLAIMED = { provenance: 'claimed' };
const R = '[REDACTED]';
const ORIGINAL = 'meta.provenance.original';

/** The receipt of an older node over the original. */
const OLDER = olderReceipt(ORIGINAL_HASH, 'a-1');

/** What a reseal may lack, what its provenance says, and packages around it. */
export async function resealEdgeCases(): Promise<Vector[]> {
  const bundle = await reseal(v1({ prompt: R }));
  const signature = await sign(ACTIVE, OLDER);
  const ofOlder = change(change(bundle, `${ORIGINAL}.receipt`, OLDER), `${ORIGINAL}.signature`, signature);
  const signed = pick(object(at(bundle, 'meta.attestation')), ['receipt', 'signature']);
  const first = pick(object(at(bundle, ORIGINAL)), ['receipt', 'signature']);
  const around = { cer: bundle, resealedCertificateHash: bundle['certificateHash'] ?? null, ...first };
  const aroundOlder: JsonObject = {
    ...{ cer: ofOlder, resealedCertificateHash: bundle['certificateHash'] ?? null, receipt: OLDER, signature },
    ...{ kid: ACTIVE.kid, attestorKeyId: ACTIVE.kid, attestedAt: TIME, issuedAt: TIME },
  };
  const AROUND =
    'With resealedCertificateHash around a reseal, the receipt, the signature and the copies around it are the original’s.';
  const packages = { heading: 'Packages' };
  const lie = (name: string, around: JsonObject, member: string): CaseLine => [
    name,
    AROUND,
    around,
    fails(INVALID, `package.${member}`, 'PPFS', CLAIMED),
    packages,
  ];
  const NAMED =
    'Where `original` is present, its receipt must be signed by the same node over the hash that the reseal names.';
  const unprotected = keySetWith({ contextUnprotectedBefore: '2026-06-01T00:00:00Z' });
  const full = v1({}, { context: { signals: [] } });
  const hashWithout = seal(without(full, 'context'))['certificateHash'] ?? null;
  const sealedBoth = confidential({ prompt: R });
  return group('reseal-edge', 'signed-redacted-reseal', keySet(), [
    [
      'context-excluded-without-the-label',
      'Only an older reseal may leave the context out of the hash.',
      await attest({ ...full, certificateHash: hashWithout }, { envelope: false }),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPPS', { provenance: null }),
      { keySet: unprotected },
    ],
    [
      'v2-without-its-instruction',
      'No member is required.',
      await reseal(v2({ instructionKind: 'label' })),
      passes('PPPS', PROVEN),
    ],
    [
      'confidential-without-its-output',
      'VERIFIED_CONFIDENTIAL where input and output are sealed.',
      await reseal({ ...sealedBoth, snapshot: { ...object(sealedBoth['snapshot']), output: R, outputHash: R } }),
      passes('PPPS', { ...PROVEN, status: 'VERIFIED', contentMode: 'HASH_BOUND' }),
      { heading: 'Overall status' },
    ],
    [
      'confidential-without-its-input',
      'VERIFIED_CONFIDENTIAL where input and output are sealed.',
      await reseal({ ...sealedBoth, snapshot: without(object(sealedBoth['snapshot']), 'input', 'inputHash') }),
      passes('PPPS', { ...PROVEN, status: 'VERIFIED', contentMode: 'HASH_BOUND' }),
      { heading: 'Overall status' },
    ],
    [
      'tool-call-with-a-removed-output',
      'Hashes of removed values are not recomputed.',
      await reseal(v1({ toolCalls: [{ toolId: 'a', at: TIME, output: R, outputHash: hashText('x') }] })),
      passes('PPPS', PROVEN),
    ],
    [
      'original-hash-differs',
      NAMED,
      change(bundle, `${ORIGINAL}.certificateHash`, hashText('x')),
      fails(INVALID, `${ORIGINAL}.certificateHash`, 'PPFS', CLAIMED),
    ],
    [
      'original-receipt-malformed',
      NAMED,
      change(bundle, `${ORIGINAL}.receipt`, 'x'),
      fails(INVALID, `${ORIGINAL}.receipt`, 'PPFS', CLAIMED),
    ],
    [
      'original-receipt-of-a-hash-alone',
      NAMED,
      change(
        change(bundle, `${ORIGINAL}.receipt`, { ...object(first['receipt']), scope: 'hash-only' }),
        `${ORIGINAL}.signature`,
        await sign(ACTIVE, { ...object(first['receipt']), scope: 'hash-only' }),
      ),
      fails(INVALID, `${ORIGINAL}.receipt`, 'PPFS', CLAIMED),
    ],
    ['original-receipt-of-an-older-node', NAMED, ofOlder, passes('PPPS', PROVEN)],
    [
      'in-a-package-of-its-own',
      'The first place that has a receipt counts; those at other places must be equal to it.',
      { cer: bundle, ...signed },
      passes('PPPS', PROVEN),
      packages,
    ],
    [
      'in-a-package-of-its-own-that-differs',
      'The first place that has a receipt counts; those at other places must be equal to it.',
      { cer: bundle, ...first },
      fails(INVALID, 'package.receipt', 'PPFS', CLAIMED),
      packages,
    ],
    ['around-it-without-a-summary', AROUND, around, passes('PPPS', PROVEN), packages],
    [
      'around-it-the-missing-signature',
      AROUND,
      change(around, 'cer.meta.attestation.signature', undefined),
      fails('ATTESTATION_MISSING', 'meta.attestation.signature', 'PFFS', CLAIMED),
      packages,
    ],
    [
      'around-it-the-signature-of-an-envelope',
      AROUND,
      { ...around, verificationEnvelopeSignature: 'x' },
      passes('PPPS', PROVEN),
      packages,
    ],
    ['around-it-an-older-receipt', AROUND, aroundOlder, passes('PPPS', PROVEN), packages],
    lie('around-it-another-older-key', { ...aroundOlder, attestorKeyId: OTHER.kid }, 'attestorKeyId'),
    lie('around-it-another-older-kid', { ...aroundOlder, kid: OTHER.kid }, 'kid'),
    lie('around-it-another-time', { ...aroundOlder, attestedAt: '2020-01-01T00:00:00Z' }, 'attestedAt'),
    lie('around-it-another-time-of-issue', { ...aroundOlder, issuedAt: '2020-01-01T00:00:00Z' }, 'issuedAt'),
    [
      'value-that-is-there',
      'Hashes of values that are there are recomputed.',
      await reseal(v1({ prompt: R, input: commitment('input'), inputHash: hashOf(commitment('output')) })),
      fails('INPUT_HASH_MISMATCH', 'snapshot.inputHash', 'FPPS', PROVEN),
    ],
  ]);
}
