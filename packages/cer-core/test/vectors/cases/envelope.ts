import {
  ACTIVE,
  attest,
  change,
  envelopeFor,
  flatRender,
  hashOnly,
  hashText,
  keySet,
  NODE_ID,
  object,
  at,
  textAt,
  OTHER,
  pick,
  seal,
  sealV2,
  sign,
  TIME,
  v1,
  v2,
  without,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const ENVELOPE = 'meta.verificationEnvelope';
const FACTS = `${ENVELOPE}.attestation`;
const SIGNATURE = 'meta.verificationEnvelopeSignature';
const ENVELOPE_PAIR = ['verificationEnvelope', 'verificationEnvelopeSignature'];

export async function envelopeCases(): Promise<Vector[]> {
  const full = v1({}, { context: { signals: [] }, contextSummary: {}, policyEvaluation: { passed: true } });
  const certified = await attest(seal(full));
  const failing = (name: string, rule: string, path: string, to: Json | undefined, member = path): CaseLine => [
    name,
    rule,
    change(certified, path, to),
    fails(INVALID, member, 'PPPF'),
  ];
  /** Edited in the envelope and in the attestation beside it, but not signed again. */
  const both = (name: string, to: Json, expected = fails(INVALID, SIGNATURE, 'PPPF')): CaseLine => [
    `both-copies-of-${name.toLowerCase()}-edited`,
    'Layer 3 can FAIL while Layers 1 and 2 PASS, for example if an attestation projection field was edited.',
    change(change(certified, `${FACTS}.${name}`, to), `meta.attestation.${name}`, to),
    expected,
  ];
  const facts = object(at(certified, FACTS));
  const enveloped = async (over: JsonObject, signedFacts: JsonObject, signer = ACTIVE): Promise<JsonObject> => ({
    ...certified,
    meta: { ...object(certified['meta']), ...(await envelopeFor(over, signedFacts, signer)) },
  });
  const older = {
    ...pick(facts, ['attestationId', 'attestedAt', 'nodeRuntimeHash', 'protocolVersion']),
    ...{ receiptVersion: '1', attestorKeyId: ACTIVE.kid, nodeId: NODE_ID, timestampType: 'node-issued' },
    certificateHash: certified['certificateHash'] ?? null,
  };
  const lone = seal(v1({ note: '\ud800' }));
  const attestedLone = await attest(lone, { envelope: false });
  const withoutForm = {
    ...attestedLone,
    meta: { ...object(attestedLone['meta']), ...(await envelopeFor(lone, { ...facts, attestedAt: TIME })) },
  };
  const redactedText = await attest(seal(v1({ note: '[REDACTED]' })));
  const flatFacts = { facts: { protocolVersion: '1.2.0' } };
  const flat = change(
    await attest(flatRender({ bundleType: 'legacy' }), flatFacts),
    'meta.attestation.protocolVersion',
    '1.2.0',
  );
  const hashOnlyReceipt = await attest(hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } });
  const FIVE = 'The five must equal those of meta.attestation, else layer 3 FAIL.';
  return group('envelope', 'Layer 3: envelope', keySet(), [
    [
      'covers-context',
      'The projection is the members present of bundleType, version, createdAt, snapshot, context, contextSummary.',
      certified,
      passes('PPPP'),
    ],
    [
      'does-not-cover-policy-evaluation',
      'No policyEvaluation and no certificateHash in the envelope.',
      {
        ...(await attest(seal(change(full, 'policyEvaluation.passed', false)), { envelope: false })),
        meta: {
          ...object((await attest(seal(change(full, 'policyEvaluation.passed', false)), { envelope: false }))['meta']),
          ...(await envelopeFor(full, facts)),
        },
      },
      passes('PPPP'),
    ],
    [
      'of-other-content',
      'FAIL: a bad signature.',
      await enveloped(change(full, 'snapshot.model', 'other'), facts),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    [
      'without-the-context',
      'The projection is taken from the members present, never from the unsigned signedFields.',
      await enveloped(change(full, 'context', undefined), facts),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    [
      'signed-fields-name-less',
      'The projection is taken from the members present, never from the unsigned signedFields.',
      change(certified, `${ENVELOPE}.signedFields`, { attestation: [], bundle: ['bundleType'] }),
      passes('PPPP'),
    ],
    [
      'signed-fields-absent',
      'signedFields is unsigned.',
      change(certified, `${ENVELOPE}.signedFields`, undefined),
      passes('PPPP'),
    ],
    [
      'signed-fields-name-an-absent-member',
      'Nothing unsigned skips the layer: signedFields is never read.',
      change(
        change(certified, 'meta.verificationEnvelope.signedFields.bundle', ['bundleType', 'declaration']),
        SIGNATURE,
        'x',
      ),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    [
      'signed-fields-name-an-absent-member-of-a-sound-envelope',
      'Nothing unsigned skips the layer: signedFields is never read.',
      change(certified, 'meta.verificationEnvelope.signedFields.bundle', ['bundleType', 'declaration']),
      passes('PPPP'),
    ],
    [
      'signed-fields-name-policy-evaluation',
      'A member that is there is not lacking.',
      change(change(certified, 'meta.verificationEnvelope.signedFields.bundle', ['policyEvaluation']), SIGNATURE, 'x'),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    [
      'content-holds-the-redaction-literal',
      'SKIPPED: the hashed members hold "[REDACTED]".',
      redactedText,
      passes('PPPS'),
    ],
    [
      'policy-evaluation-holds-the-redaction-literal',
      'SKIPPED: the hashed members hold "[REDACTED]", also one that the envelope does not sign.',
      await attest(seal(v1({}, { policyEvaluation: { rule: '[REDACTED]' } }))),
      passes('PPPS'),
    ],
    [
      'protected-set-holds-the-redaction-literal',
      'SKIPPED: the hashed members hold "[REDACTED]"; a v2 bundle also hashes protectedSet.',
      change(await attest(sealV2(v2())), 'protectedSet.protectedSetId', '[REDACTED]'),
      fails('PROTECTED_SET_MISMATCH', 'protectedSet', 'FPPS'),
    ],
    [
      'redaction-literal-in-an-unhashed-member',
      'Nothing unsigned skips the layer: "[REDACTED]" counts only where the hash covers it.',
      change({ ...flat, contextSummary: '[REDACTED]' }, SIGNATURE, 'x'),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    ['of-a-flat-render-record', 'Legacy: by data.', flat, { ...passes('PPPP'), classification: 'LEGACY_VERIFIED' }],
    [
      'redaction-literal-beside-a-hash',
      'Nothing unsigned skips the layer: a hash-only bundle hashes no member.',
      {
        ...hashOnlyReceipt,
        context: '[REDACTED]',
        meta: { ...object(hashOnlyReceipt['meta']), ...object(pick(object(certified['meta']), ENVELOPE_PAIR)) },
      },
      fails(INVALID, `${FACTS}.protocolVersion`, 'PPPF'),
    ],
    [
      'signature-without-the-envelope',
      'FAIL: an envelope without its signature or the reverse.',
      change(certified, ENVELOPE, undefined),
      fails(INVALID, ENVELOPE, 'PPPF'),
    ],
    [
      'signature-beside-a-null-envelope',
      'FAIL: an envelope without its signature or the reverse.',
      change(certified, ENVELOPE, null),
      fails(INVALID, ENVELOPE, 'PPPF'),
    ],
    [
      'without-signature-under-the-redaction-literal',
      'FAIL: an envelope without its signature or the reverse.',
      change(redactedText, SIGNATURE, undefined),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    [
      'signature-alone-under-the-redaction-literal',
      'FAIL: an envelope without its signature or the reverse.',
      change(redactedText, ENVELOPE, undefined),
      fails(INVALID, ENVELOPE, 'PPPF'),
    ],
    [
      'protocol-copy-lies-under-a-skipped-envelope',
      'Where the third layer cannot compare a copy, the second does.',
      change(redactedText, 'meta.attestation.protocolVersion', '1.3.1'),
      fails(INVALID, 'meta.attestation.protocolVersion', 'PPFS'),
      { heading: 'Layer 2: receipt' },
    ],
    failing(
      'of-unknown-type',
      'FAIL: unknown envelopeType.',
      `${ENVELOPE}.envelopeType`,
      'svc.verification.envelope.v3',
    ),
    failing('without-type', 'FAIL: unknown envelopeType.', `${ENVELOPE}.envelopeType`, undefined),
    failing('is-text', 'FAIL: an envelope that is present but lacks its members.', ENVELOPE, 'x'),
    failing('without-attestation', 'FAIL: one of the five missing.', FACTS, undefined),
    failing('one-of-five-missing', 'FAIL: one of the five missing.', `${FACTS}.nodeRuntimeHash`, undefined, FACTS),
    ...['attestationId', 'attestedAt', 'kid', 'nodeRuntimeHash', 'protocolVersion'].map((name) =>
      failing(
        `${name.toLowerCase()}-under-another-name`,
        'FAIL: one of the five missing.',
        FACTS,
        { ...without(object(at(certified, FACTS)), name), note: 'x' },
      ),
    ),
    failing('one-of-five-mistyped', 'FAIL: one of the five mistyped.', `${FACTS}.attestationId`, 7, FACTS),
    failing('a-sixth-member', 'The attestation projection has exactly 5 fields.', `${FACTS}.note`, 'x', FACTS),
    failing('time-is-no-time', 'FAIL: one of the five mistyped.', `${FACTS}.attestedAt`, 'yesterday', FACTS),
    failing('attestation-id-differs', FIVE, `${FACTS}.attestationId`, '99999999-2222-4333-8444-555555555555'),
    failing('time-differs', FIVE, `${FACTS}.attestedAt`, '2026-01-02T03:04:06.678Z'),
    failing('kid-differs', FIVE, `${FACTS}.kid`, OTHER.kid),
    failing('runtime-hash-differs', FIVE, `${FACTS}.nodeRuntimeHash`, hashText('other')),
    failing('protocol-differs', FIVE, `${FACTS}.protocolVersion`, '1.3.0'),
    [
      'runtime-hash-of-the-attestation-edited',
      FIVE,
      change(certified, 'meta.attestation.nodeRuntimeHash', hashText('other')),
      fails(INVALID, `${FACTS}.nodeRuntimeHash`, 'PPPF'),
    ],
    [
      'attestation-id-absent-beside-it',
      FIVE,
      change(certified, 'meta.attestation.attestationId', undefined),
      fails(INVALID, `${FACTS}.attestationId`, 'PPPF'),
    ],
    both('attestationId', '99999999-2222-4333-8444-555555555555'),
    both('nodeRuntimeHash', hashText('other')),
    both('protocolVersion', '1.3.1', fails(INVALID, `${FACTS}.protocolVersion`, 'PPPF')),
    failing('kid-copy-lies', 'kid beside the five is a copy.', `${ENVELOPE}.kid`, OTHER.kid),
    failing(
      'signature-absent',
      'FAIL: an envelope without its signature or the reverse.',
      SIGNATURE,
      undefined,
    ),
    failing('signature-truncated', 'FAIL: a bad signature.', SIGNATURE, textAt(certified, SIGNATURE).slice(0, 40)),
    failing(
      'signature-of-the-receipt',
      'A signature for one purpose never serves another.',
      SIGNATURE,
      at(certified, 'meta.attestation.signature'),
    ),
    [
      'beside-the-receipt-of-an-older-node',
      'A member absent in `meta.attestation` is that of the receipt.',
      change(certified, 'meta.attestation', { receipt: older, signature: await sign(ACTIVE, older) }),
      passes('PPPP'),
    ],
    [
      'beside-an-attestation-of-the-package-that-differs',
      'Layer 3 checks the copy of `protocolVersion` in `meta.attestation`, layer 2 that in the package.',
      {
        cer: change(certified, 'meta.attestation', undefined),
        ...pick(object(at(certified, 'meta.attestation')), ['receipt', 'signature']),
        attestation: { ...facts, protocolVersion: '1.3.0' },
      },
      fails(INVALID, 'package.attestation.protocolVersion', 'PPFF'),
      { heading: 'Attestation' },
    ],
    [
      'signed-by-an-unknown-key',
      'FAIL: unknown kid.',
      await enveloped(full, { ...facts, kid: OTHER.kid }, OTHER),
      fails(INVALID, `${FACTS}.kid`, 'PPPF'),
    ],
    [
      'no-canonical-form',
      'FAIL: no canonical form.',
      withoutForm,
      fails(INVALID, ENVELOPE, 'PPPF'),
    ],
    [
      'no-canonical-form-without-keys',
      'FAIL: no canonical form.',
      withoutForm,
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', 'PFPF', {
        classification: 'UNVERIFIABLE',
        reasonCodes: ['VERIFICATION_MATERIAL_UNAVAILABLE', INVALID],
      }),
      { keySet: null },
    ],
    [
      'made-with-another-canonicalization',
      'The bundle was re-serialized with different canonicalization.',
      change(
        certified,
        SIGNATURE,
        Buffer.from(
          await ACTIVE.sign(new TextEncoder().encode(JSON.stringify({ bundle: full, attestation: facts }))),
        ).toString('base64url'),
      ),
      fails(INVALID, SIGNATURE, 'PPPF'),
    ],
    ['null', 'SKIPPED: no envelope.', change(change(certified, ENVELOPE, null), SIGNATURE, null), passes('PPPS')],
  ]);
}
