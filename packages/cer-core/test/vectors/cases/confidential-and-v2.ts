import {
  attest,
  change,
  commitment,
  confidential,
  FOUR_PARAMETERS,
  hashText,
  keySet,
  protectedSet,
  seal,
  sealV2,
  v2,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const HASH_BOUND = { contentMode: 'HASH_BOUND' };
const schema = (member: string): JsonObject => fails('SCHEMA_ERROR', member);
const line = (name: string, rule: string, path: string, to: Json | undefined, expected: JsonObject): CaseLine => [
  name,
  rule,
  seal(change(confidential(), path, to)),
  expected,
];
const EXACT = 'input and output are each exactly {_redacted, scheme, commitment}; anything else there is SCHEMA_ERROR.';

async function confidentialCases(): Promise<Vector[]> {
  const certified = await attest(seal(confidential()));
  const other = commitment('other');
  return group('confidential', 'Confidential executions', keySet(), [
    [
      'certified',
      'VERIFIED_CONFIDENTIAL when commitments and signatures verify.',
      certified,
      passes('PPPP', { status: 'VERIFIED_CONFIDENTIAL', ...HASH_BOUND }),
    ],
    [
      'sealed',
      'Unsigned 1.3.1 gives VERIFIED with contentMode HASH_BOUND.',
      seal(confidential()),
      passes('PSSS', HASH_BOUND),
    ],
    [
      'receipt-fails',
      'VERIFIED_CONFIDENTIAL needs a passing receipt.',
      change(certified, 'meta.attestation.receipt.nodeId', 'another'),
      fails('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.signature', 'PFFP', HASH_BOUND),
    ],
    line('raw-input', EXACT, 'snapshot.input', 'What is a receipt?', schema('snapshot.input')),
    line('extra-member', EXACT, 'snapshot.output.salt', 'x', schema('snapshot.output')),
    line('unknown-scheme', 'The scheme must be known.', 'snapshot.input.scheme', 'hmac-md5', schema('snapshot.input')),
    line('not-redacted', EXACT, 'snapshot.input._redacted', false, schema('snapshot.input')),
    line('commitment-malformed', EXACT, 'snapshot.input.commitment', 'sha256:00', schema('snapshot.input')),
    line('commitment-absent', EXACT, 'snapshot.input.commitment', undefined, schema('snapshot.input')),
    line(
      'input-missing',
      'A required snapshot member is missing.',
      'snapshot.input',
      undefined,
      fails('PROTECTED_FIELD_MISSING', 'snapshot.input'),
    ),
    line(
      'prompt-missing',
      'prompt is required under 1.3.1.',
      'snapshot.prompt',
      undefined,
      fails('PROTECTED_FIELD_MISSING', 'snapshot.prompt'),
    ),
    line('prompt-empty', 'prompt is non-empty.', 'snapshot.prompt', '', schema('snapshot.prompt')),
    line(
      'parameters-missing',
      'parameters is required under 1.3.1.',
      'snapshot.parameters',
      undefined,
      fails('PROTECTED_FIELD_MISSING', 'snapshot.parameters'),
    ),
    line(
      'parameter-missing',
      'parameters has exactly temperature, maxTokens, topP, seed.',
      'snapshot.parameters.seed',
      undefined,
      schema('snapshot.parameters.seed'),
    ),
    line(
      'parameter-too-many',
      'parameters has exactly temperature, maxTokens, topP, seed.',
      'snapshot.parameters',
      { ...FOUR_PARAMETERS, stop: null },
      schema('snapshot.parameters'),
    ),
    line(
      'temperature-null',
      'parameters.temperature is a finite number.',
      'snapshot.parameters.temperature',
      null,
      schema('snapshot.parameters.temperature'),
    ),
    line(
      'input-commitment-changed',
      'inputHash is the hash of the sealed object.',
      'snapshot.input',
      other,
      fails('INPUT_HASH_MISMATCH', 'snapshot.inputHash'),
    ),
    line(
      'output-commitment-changed',
      'outputHash is the hash of the sealed object.',
      'snapshot.output',
      other,
      fails('OUTPUT_HASH_MISMATCH', 'snapshot.outputHash'),
    ),
    [
      'both-commitments-changed',
      'Both wrong is SNAPSHOT_HASH_MISMATCH.',
      seal(confidential({ input: other, output: other, inputHash: hashText('x') })),
      fails('SNAPSHOT_HASH_MISMATCH', 'snapshot.inputHash'),
    ],
    line(
      'hash-absent',
      'inputHash is required.',
      'snapshot.inputHash',
      undefined,
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash'),
    ),
    [
      'prompt-changed',
      'prompt is bound by certificateHash.',
      change(seal(confidential()), 'snapshot.prompt', 'Answer at length.'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
  ]);
}

const confidentialV2 = (snapshot: JsonObject = {}): JsonObject =>
  v2({
    protocolVersion: '1.3.1',
    prompt: 'Answer.',
    input: commitment('input'),
    output: commitment('output'),
    parameters: FOUR_PARAMETERS,
    ...snapshot,
  });
const SET_RULE = 'Recomputed set differs: PROTECTED_SET_MISMATCH.';
const setFault = fails('PROTECTED_SET_MISMATCH', 'protectedSet');
const lineV2 = (name: string, rule: string, path: string, to: Json | undefined, expected: JsonObject): CaseLine => [
  name,
  rule,
  sealV2(change(v2(), path, to)),
  expected,
];

async function v2Cases(): Promise<Vector[]> {
  const unsupported = { reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'] };
  return group('v2', 'cer.ai.execution.v2', keySet(), [
    ['sealed-1-3-0', 'input and output are hash strings under 1.3.0.', sealV2(v2()), passes('PSSS')],
    ['certified', 'A certified v2 bundle is VERIFIED.', await attest(sealV2(v2())), passes('PPPP')],
    [
      'certified-1-3-1',
      'input and output are sealed objects under 1.3.1.',
      await attest(sealV2(confidentialV2())),
      passes('PPPP', { status: 'VERIFIED_CONFIDENTIAL', ...HASH_BOUND }),
    ],
    [
      'raw-values',
      'A bundle sealed elsewhere may hold raw values.',
      sealV2(v2({ input: 'raw', output: { a: 1 } })),
      passes('PSSS'),
    ],
    [
      'instruction-with-kind',
      'instructionKind exactly when instruction is present.',
      sealV2(v2({ instruction: 'Be brief.', instructionKind: 'system' })),
      passes('PSSS'),
    ],
    [
      'with-context',
      'The protected set lists the members present, in order.',
      sealV2(v2({}, { context: { signals: [] }, policyEvaluation: {} })),
      passes('PSSS'),
    ],
    lineV2(
      'role-missing',
      'executionRole is required, never inferred.',
      'snapshot.executionRole',
      undefined,
      fails('PROTECTED_FIELD_MISSING', 'snapshot.executionRole'),
    ),
    lineV2(
      'role-unknown',
      'executionRole is advisory, operative or unspecified.',
      'snapshot.executionRole',
      'adviser',
      schema('snapshot.executionRole'),
    ),
    lineV2(
      'instruction-without-kind',
      'instructionKind exactly when instruction is present.',
      'snapshot.instruction',
      'Be brief.',
      schema('snapshot.instructionKind'),
    ),
    lineV2(
      'kind-without-instruction',
      'instructionKind exactly when instruction is present.',
      'snapshot.instructionKind',
      'system',
      schema('snapshot.instructionKind'),
    ),
    [
      'kind-unknown',
      'instructionKind is system, derived or label.',
      sealV2(v2({ instruction: 'x', instructionKind: 'user' })),
      schema('snapshot.instructionKind'),
    ],
    ...['derived', 'label'].map((kind): CaseLine => [
      `instruction-that-is-${kind}`,
      'instructionKind is system, derived or label.',
      sealV2(v2({ instruction: 'x', instructionKind: kind })),
      passes('PSSS'),
    ]),
    [
      'instruction-empty',
      'instruction is a non-empty string.',
      sealV2(v2({ instruction: '', instructionKind: 'system' })),
      schema('snapshot.instruction'),
    ],
    lineV2(
      'prompt-under-1-3-0',
      'prompt is a member under 1.3.1 only.',
      'snapshot.prompt',
      'Answer.',
      schema('snapshot.prompt'),
    ),
    [
      'prompt-missing-under-1-3-1',
      'prompt is required under 1.3.1.',
      sealV2(change(confidentialV2(), 'snapshot.prompt', undefined)),
      fails('PROTECTED_FIELD_MISSING', 'snapshot.prompt', 'FSSS', HASH_BOUND),
    ],
    [
      'hash-string-under-1-3-1',
      'input and output are sealed objects under 1.3.1.',
      sealV2(confidentialV2({ input: hashText('x') })),
      fails('SCHEMA_ERROR', 'snapshot.input', 'FSSS', HASH_BOUND),
    ],
    lineV2(
      'input-missing',
      'Required snapshot member missing: PROTECTED_FIELD_MISSING.',
      'snapshot.input',
      undefined,
      fails('PROTECTED_FIELD_MISSING', 'snapshot.input'),
    ),
    lineV2(
      'input-looks-like-a-hash',
      'A string matching /^sha-?256:/i must be a well-formed hash.',
      'snapshot.input',
      'SHA-256:abc',
      fails('INVALID_SHA256_FORMAT', 'snapshot.input'),
    ),
    lineV2(
      'output-hash-upper-case',
      'A string matching /^sha-?256:/i must be a well-formed hash.',
      'snapshot.output',
      `sha256:${'A'.repeat(64)}`,
      fails('INVALID_SHA256_FORMAT', 'snapshot.output'),
    ),
    [
      'confidential-output-looks-like-a-hash',
      'A string matching /^sha-?256:/i must be a well-formed hash.',
      sealV2(v2({ protocolVersion: '1.3.1', prompt: 'x', parameters: FOUR_PARAMETERS, input: commitment('input'), output: 'sha-256:abc' })),
      fails('SCHEMA_ERROR', 'snapshot.output', 'FSSS', { reasonCodes: ['SCHEMA_ERROR', 'INVALID_SHA256_FORMAT'] }),
    ],
    lineV2('protocol-1-2-0', 'v2 has protocol 1.3.0 or 1.3.1.', 'snapshot.protocolVersion', '1.2.0', {
      ...schema('snapshot.protocolVersion'),
      ...unsupported,
    }),
    [
      'protocol-absent',
      'v2 has protocol 1.3.0 or 1.3.1.',
      sealV2(change(v2(), 'snapshot.protocolVersion', undefined)),
      {
        ...schema('snapshot.protocolVersion'),
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED', 'PROTECTED_FIELD_MISSING'],
      },
    ],
    lineV2('version-0-1', 'version is 0.2.', 'version', '0.1', { ...schema('version'), ...unsupported }),
    lineV2(
      'type-of-v1',
      'snapshot.type is ai.execution.v2.',
      'snapshot.type',
      'ai.execution.v1',
      schema('snapshot.type'),
    ),
    ['set-absent', SET_RULE, seal(v2()), setFault],
    [
      'set-in-another-order',
      SET_RULE,
      sealV2(v2(), { ...protectedSet(v2()), protectedFields: ['version', 'bundleType', 'createdAt', 'snapshot'] }),
      setFault,
    ],
    ['set-names-too-little', SET_RULE, sealV2(v2({}, { context: { signals: [] } }), protectedSet(v2())), setFault],
    ['set-names-too-much', SET_RULE, sealV2(v2(), protectedSet(v2({}, { context: {} }))), setFault],
    ['set-of-another-scheme', SET_RULE, sealV2(v2(), { ...protectedSet(v2()), stabilitySchemeId: 'svc-v1' }), setFault],
    ['set-with-another-member', SET_RULE, sealV2(v2(), { ...protectedSet(v2()), more: 1 }), setFault],
    [
      'hash-without-the-set',
      'certificateHash is over those members plus protectedSet.',
      { ...seal(v2()), protectedSet: protectedSet(v2()) },
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
    [
      'role-changed',
      'executionRole is hashed.',
      change(sealV2(v2()), 'snapshot.executionRole', 'operative'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
    [
      'missing-before-set',
      'PROTECTED_FIELD_MISSING before PROTECTED_SET_MISMATCH.',
      seal(change(v2(), 'snapshot.model', undefined)),
      fails('PROTECTED_FIELD_MISSING', 'snapshot.model'),
      { heading: 'Verification codes' },
    ],
    [
      'set-before-hash-form',
      'PROTECTED_SET_MISMATCH before INVALID_SHA256_FORMAT.',
      v2(),
      setFault,
      { heading: 'Verification codes' },
    ],
  ]);
}

export async function confidentialAndV2Cases(): Promise<Vector[]> {
  return [...(await confidentialCases()), ...(await v2Cases())];
}
