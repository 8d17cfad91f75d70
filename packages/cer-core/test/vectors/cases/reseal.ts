import {
  ACTIVE,
  at,
  attest,
  change,
  confidential,
  FOUR_PARAMETERS,
  hashText,
  keySet,
  object,
  ORIGINAL_HASH,
  OTHER,
  render,
  reseal,
  seal,
  sealV2,
  sign,
  TIME,
  v1,
  v2,
} from '../forge.js';
import { fails, group, passes, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const PROVEN = { provenance: 'proven' };
const CLAIMED = { provenance: 'claimed' };
const R = '[REDACTED]';

export async function resealCases(): Promise<Vector[]> {
  const redacted = v1({ prompt: R, inputHash: R, outputHash: R });
  const bundle = await reseal(redacted);
  const withContext = v1(
    {},
    { context: { signals: [{ type: 'a', source: 'b', payload: R }, R] }, policyEvaluation: R },
  );
  const removed = change(
    change(v1({ parameters: { temperature: R } }), 'snapshot.model', undefined),
    'createdAt',
    undefined,
  );
  const forged = { ...object(at(bundle, 'meta.provenance.original.receipt')), certificateHash: hashText('x') };
  const unknownKid = { ...object(at(bundle, 'meta.provenance.original.receipt')), kid: 'unknown' };
  const mismatch = fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPPS', PROVEN);
  const original = 'meta.provenance.original';
  const BELIEVED = 'Provenance is believed only when the receipt says the same.';
  return group('reseal', 'signed-redacted-reseal', keySet(), [
    [
      'of-v1',
      'Validated against the new resealed hash and gives VERIFIED; removed values are "[REDACTED]", hash members included.',
      bundle,
      passes('PPPS', PROVEN),
    ],
    [
      'unsigned',
      'Without a receipt the provenance is claimed, unproven.',
      change(bundle, 'meta.attestation', undefined),
      passes('PSSS', CLAIMED),
    ],
    [
      'envelope-without-its-signature',
      'An envelope without its signature or the reverse is FAIL, whatever the bundle is.',
      change(bundle, 'meta.verificationEnvelope', { envelopeType: 'svc.verification.envelope.v2' }),
      fails(INVALID, 'meta.verificationEnvelopeSignature', 'PPPF', PROVEN),
      { heading: 'Layer 3: envelope' },
    ],
    [
      'envelope-signature-alone',
      'An envelope without its signature or the reverse is FAIL, whatever the bundle is.',
      change(bundle, 'meta.verificationEnvelopeSignature', 'x'),
      fails(INVALID, 'meta.verificationEnvelope', 'PPPF', PROVEN),
      { heading: 'Layer 3: envelope' },
    ],
    [
      'parameter-beyond-the-four',
      'Redaction removes parameters and adds none: under 1.3.1 a reseal has no others than the four.',
      await reseal(confidential({ prompt: R, parameters: { ...FOUR_PARAMETERS, topK: 1 } })),
      fails('SCHEMA_ERROR', 'snapshot.parameters', 'FPPS'),
      { heading: 'Confidential executions' },
    ],
    [
      'parameter-of-the-four-removed',
      'No member of a reseal is required.',
      await reseal(confidential({ prompt: R, parameters: { temperature: 0, maxTokens: R } })),
      passes('PPPS', { status: 'VERIFIED_CONFIDENTIAL', ...PROVEN }),
    ],
    [
      'values-absent',
      'Removed values may be absent: that is not a fault of form.',
      await reseal(removed),
      passes('PPPS', PROVEN),
    ],
    [
      'inside-context',
      'Removed values are not a format fault, at any place.',
      await reseal(withContext),
      passes('PPPS', PROVEN),
    ],
    [
      'of-v2',
      'The layout, version and protectedSet are those of the type that snapshot.type names.',
      await reseal(v2({ input: R, output: R })),
      passes('PPPS', PROVEN),
    ],
    [
      'of-v2-without-context',
      'protectedSet is recomputed over the resealed members.',
      await reseal(change(v2({}, { context: {} }), 'context', undefined)),
      passes('PPPS', PROVEN),
    ],
    [
      'of-render',
      'The layout is that of the type that snapshot.type names.',
      await reseal(render({ seed: R, codeHash: R, canvas: R, execution: R })),
      passes('PPPS', PROVEN),
    ],
    [
      'of-render-in-its-parts',
      'Removed values are not a format fault, at any place.',
      await reseal(
        render({
          outputHash: R,
          vars: R,
          canvas: { width: R, height: R },
          execution: { mode: R },
          engine: { name: R },
        }),
      ),
      passes('PPPS', PROVEN),
    ],
    [
      'of-render-without-its-engine',
      'Removed values are not a format fault, at any place.',
      await reseal(render({ engine: R })),
      passes('PPPS', PROVEN),
    ],
    [
      'tool-calls-removed',
      'Removed values are not a format fault, at any place.',
      await reseal(v1({ toolCalls: R })),
      passes('PPPS', PROVEN),
    ],
    [
      'tool-call-removed',
      'Removed values are not a format fault, at any place.',
      await reseal(v1({ toolCalls: [R, { toolId: 'search', at: TIME, output: 'x' }] })),
      passes('PPPS', PROVEN),
    ],
    [
      'tool-values-removed',
      'Hashes of removed values are not recomputed.',
      await reseal(
        v1({
          toolCalls: [
            { toolId: R, at: R, input: R, inputHash: hashText('x'), output: 'y', outputHash: R },
            { input: 'x', inputHash: R, output: R, outputHash: hashText('y') },
          ],
        }),
      ),
      passes('PPPS', PROVEN),
    ],
    [
      'tool-evidence-removed',
      'No member is required.',
      await reseal(v1({ toolCalls: [{ toolId: 'search' }] })),
      passes('PPPS', PROVEN),
    ],
    [
      'tool-value-that-stayed-has-another-hash',
      'Hashes of values that stayed are recomputed.',
      await reseal(v1({ toolCalls: [{ toolId: R, at: R, output: 'x', outputHash: hashText('y') }] })),
      fails('TOOL_OUTPUT_HASH_MISMATCH', 'snapshot.toolCalls[0].outputHash', 'FPPS', PROVEN),
    ],
    [
      'of-1-3-1-with-commitments',
      'A reseal of a 1.3.1 bundle with intact sealed objects and a passing receipt is VERIFIED_CONFIDENTIAL.',
      await reseal(confidential({ prompt: R })),
      passes('PPPS', { ...PROVEN, status: 'VERIFIED_CONFIDENTIAL', contentMode: 'HASH_BOUND' }),
    ],
    [
      'of-1-3-1-without-commitments',
      'Without the sealed objects nothing confidential is left to vouch for.',
      await reseal(confidential({ input: R, inputHash: R })),
      passes('PPPS', { ...PROVEN, contentMode: 'HASH_BOUND' }),
    ],
    [
      'envelope-is-not-checked',
      'Layer 3 SKIPPED: the bundle is a reseal.',
      change(change(bundle, 'meta.verificationEnvelope', {}), 'meta.verificationEnvelopeSignature', 'x'),
      passes('PPPS', PROVEN),
    ],
    [
      'type-absent',
      'Absent snapshot.type: v1.',
      await reseal(change(redacted, 'snapshot.type', undefined)),
      passes('PPPS', PROVEN),
    ],
    [
      'type-unknown',
      'The layout is that of the type that the hashed snapshot.type names.',
      await reseal(change(redacted, 'snapshot.type', 'ai.execution.v9')),
      fails('SCHEMA_ERROR', 'snapshot.type', 'FPPS', {
        ...PROVEN,
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'],
      }),
    ],
    [
      'version-of-another-type',
      'The version is that of the type that snapshot.type names.',
      await reseal(change(redacted, 'version', '0.3')),
      fails('SCHEMA_ERROR', 'version', 'FPPS', PROVEN),
    ],
    [
      'of-v2-with-the-old-set',
      'protectedSet is recomputed over the resealed members.',
      await attest(
        {
          ...sealV2(
            { ...v2(), bundleType: 'signed-redacted-reseal' },
            { protectedSetId: 'cer.ai.execution.v2', protectedFields: ['bundleType'], stabilitySchemeId: 'jcs-v1' },
          ),
          meta: { provenance: at(bundle, 'meta.provenance') },
        },
        {
          envelope: false,
          receipt: {
            scope: 'reseal',
            originalCertificateHash: ORIGINAL_HASH,
            redactionPolicy: 'public.v1:snapshot.prompt',
          },
        },
      ),
      fails('PROTECTED_SET_MISMATCH', 'protectedSet', 'FPPS', PROVEN),
    ],
    ['content-changed', 'Integrity is against the resealed hash.', change(bundle, 'snapshot.model', 'other'), mismatch],
    ['redacted-once-more', 'Integrity is against the resealed hash.', change(bundle, 'snapshot.model', R), mismatch],
    [
      'value-that-stayed-is-hashed',
      'Only hashes of removed values are not recomputed.',
      await reseal(v1({ input: 'another' })),
      fails('INPUT_HASH_MISMATCH', 'snapshot.inputHash', 'FPPS', PROVEN),
    ],
    [
      'wrong-form-that-is-no-redaction',
      'Only "[REDACTED]" represents a removed value.',
      await reseal(v1({ inputHash: '[redacted]' })),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPPS', PROVEN),
    ],
    [
      'with-a-full-receipt',
      'A receipt whose scope does not fit the bundle type FAILS.',
      await attest(change(bundle, 'meta.attestation', undefined), { envelope: false }),
      fails(INVALID, 'meta.attestation.receipt.scope', 'PPFS', CLAIMED),
    ],
    [
      'original-hash-lies',
      BELIEVED,
      change(bundle, 'meta.provenance.originalCertificateHash', hashText('x')),
      fails(INVALID, 'meta.provenance.originalCertificateHash', 'PPFS', CLAIMED),
    ],
    [
      'policy-lies',
      BELIEVED,
      change(bundle, 'meta.provenance.redactionPolicy', 'public.v1:'),
      fails(INVALID, 'meta.provenance.redactionPolicy', 'PPFS', CLAIMED),
    ],
    [
      'time-contradicts-the-receipt',
      'redactedAt equals the timestamp of the receipt.',
      change(bundle, 'meta.provenance.redactedAt', '2020-01-01T00:00:00Z'),
      fails(INVALID, 'meta.provenance.redactedAt', 'PPFS', CLAIMED),
    ],
    [
      'kind-is-another',
      'A provenance has the kind redacted_reseal.',
      change(bundle, 'meta.provenance.kind', 'another'),
      fails(INVALID, 'meta.provenance.kind', 'PPFS', CLAIMED),
    ],
    [
      'kind-is-absent',
      'A provenance has the kind redacted_reseal.',
      change(bundle, 'meta.provenance.kind', undefined),
      fails(INVALID, 'meta.provenance.kind', 'PPFS', CLAIMED),
    ],
    [
      'time-absent',
      'Members of a provenance other than its kind may be absent: the receipt says the same.',
      change(bundle, 'meta.provenance.redactedAt', undefined),
      passes('PPPS', PROVEN),
    ],
    [
      'provenance-absent',
      'The receipt alone proves where a reseal comes from.',
      change(bundle, 'meta.provenance', undefined),
      passes('PPPS', PROVEN),
    ],
    [
      'original-absent',
      'The receipt of the original is optional.',
      change(bundle, original, undefined),
      passes('PPPS', PROVEN),
    ],
    [
      'original-receipt-of-another',
      'Its receipt must be over the hash that the reseal names.',
      change(change(bundle, `${original}.receipt`, forged), `${original}.signature`, await sign(ACTIVE, forged)),
      fails(INVALID, `${original}.receipt`, 'PPFS', CLAIMED),
    ],
    [
      'original-signature-forged',
      'Its receipt must be signed by the same node.',
      change(bundle, `${original}.signature`, await sign(OTHER, at(bundle, `${original}.receipt`))),
      fails(INVALID, `${original}.signature`, 'PPFS', CLAIMED),
    ],
    [
      'original-under-an-unknown-key',
      'Its key is chosen as any key, and what is found then has the code of that choice.',
      change(change(bundle, `${original}.receipt`, unknownKid), `${original}.signature`, await sign(OTHER, unknownKid)),
      fails('ATTESTATION_KEY_NOT_FOUND', `${original}.receipt`, 'PPFS', CLAIMED),
    ],
    [
      'original-under-an-unknown-key-beside-a-forged-receipt',
      'The first code that applies is the code of the result.',
      change(
        change(change(bundle, `${original}.receipt`, unknownKid), `${original}.signature`, await sign(OTHER, unknownKid)),
        'meta.attestation.signature',
        await sign(OTHER, at(bundle, 'meta.attestation.receipt')),
      ),
      fails('ATTESTATION_KEY_NOT_FOUND', `${original}.receipt`, 'PFFS', CLAIMED),
      { heading: 'Verification codes' },
    ],
    [
      'original-of-another-hash-under-an-unknown-key',
      'The hash beside the receipt is one more copy, and the key is chosen nevertheless.',
      change(
        change(change(bundle, `${original}.receipt`, unknownKid), `${original}.signature`, await sign(OTHER, unknownKid)),
        `${original}.certificateHash`,
        hashText('x'),
      ),
      fails('ATTESTATION_KEY_NOT_FOUND', `${original}.receipt`, 'PPFS', CLAIMED),
    ],
    [
      'original-malformed-without-keys',
      'Without keys the receipt of the original is not judged.',
      change(bundle, `${original}.receipt`, 1),
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', 'PFPS', {
        ...CLAIMED,
        classification: 'UNVERIFIABLE',
        reasonCodes: ['VERIFICATION_MATERIAL_UNAVAILABLE'],
      }),
      { keySet: null },
    ],
    [
      'half-an-envelope-beside-a-copy-that-differs',
      'Half of a pair is not an envelope to check, so layer 2 compares the copy of `protocolVersion`.',
      change(change(bundle, 'meta.verificationEnvelopeSignature', 'x'), 'meta.attestation.protocolVersion', '1.3.0'),
      fails(INVALID, 'meta.attestation.protocolVersion', 'PPFF', CLAIMED),
      { heading: 'Attestation' },
    ],
    [
      'original-without-signature',
      'Its receipt must be signed by the same node.',
      change(bundle, `${original}.signature`, undefined),
      fails(INVALID, `${original}.receipt`, 'PPFS', CLAIMED),
    ],
    [
      'full-artifact-demanded',
      'INCOMPLETE_ARTIFACT: redacted where a full one was demanded.',
      bundle,
      fails('INCOMPLETE_ARTIFACT', 'bundleType', 'PPPS', PROVEN),
      { options: { requireFullArtifact: true }, heading: 'Overall status' },
    ],
    [
      'relabelled-as-v1',
      'Labels loosen nothing: as v1 the removed hashes are malformed.',
      change(bundle, 'bundleType', 'cer.ai.execution.v1'),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash', 'FPFS'),
    ],
    [
      'certified-v1-relabelled',
      'Labels loosen nothing: the receipt is of another scope and the label is hashed.',
      change(await attest(seal(v1())), 'bundleType', 'signed-redacted-reseal'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash', 'FPFS', CLAIMED),
    ],
  ]);
}
