import { change, hashOf, hashText, keySet, seal, v1, type Json, type JsonObject } from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';
import { NO_TIMES, TIMES } from './times.js';

const LONG = 'x'.repeat(257);
const schema = (member: string, more: JsonObject = {}): JsonObject => fails('SCHEMA_ERROR', member, 'FSSS', more);
const unsupported = (member: string): JsonObject =>
  schema(member, { reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'] });
const mismatch = fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash');
const broken = (name: string, rule: string, path: string, to: Json | undefined, expected = schema(path)): CaseLine => [
  name,
  rule,
  seal(change(v1(), path, to)),
  expected,
];

const full = seal(
  v1(
    { sdkVersion: '1.0.0', metadata: { team: 'a' }, prompt: 'Answer.' },
    {
      context: { signals: [{ type: 'review', source: 'desk', payload: { ok: true } }] },
      contextSummary: { signals: 1 },
      policyEvaluation: { passed: true },
    },
  ),
);

const sealedBundles: readonly CaseLine[] = [
  [
    'sealed-1-2-0',
    'A locally sealed bundle yields Integrity PASS, Receipt SKIPPED, Envelope SKIPPED, and overall VERIFIED.',
    seal(v1()),
    passes('PSSS'),
  ],
  ['sealed-1-3-0', '1.3.0 hashes under jcs-v1.', seal(v1({ protocolVersion: '1.3.0' })), passes('PSSS')],
  [
    'protocol-absent',
    'An absent protocolVersion is 1.2.0.',
    seal(change(v1(), 'snapshot.protocolVersion', undefined)),
    passes('PSSS'),
  ],
  [
    'previous-step-null',
    'null in prevStepHash means no previous step.',
    seal(v1({ prevStepHash: null })),
    passes('PSSS'),
    { heading: 'Chains' },
  ],
  ['protocol-null', 'A null protocolVersion is 1.2.0.', seal(v1({ protocolVersion: null })), passes('PSSS')],
  [
    'everything-in-scope',
    'context, contextSummary and policyEvaluation are hashed when present.',
    full,
    passes('PSSS'),
  ],
  [
    'raw-strings',
    'Bundles sealed elsewhere may carry raw values: verified, with the hashes computed again.',
    seal(v1({ input: 'What is a receipt?', output: 'A signed statement.' })),
    passes('PSSS'),
  ],
  [
    'raw-object-and-array',
    'Any value but a string is hashed as its canonical JSON.',
    seal(
      v1({
        input: { b: 1, a: [2] },
        inputHash: hashOf({ b: 1, a: [2] }),
        output: [1, 'x'],
        outputHash: hashOf([1, 'x']),
      }),
    ),
    passes('PSSS'),
  ],
  ['raw-empty-string', 'A raw string may be empty.', seal(v1({ input: '', inputHash: hashText('') })), passes('PSSS')],
  ['unknown-snapshot-member', 'Unknown snapshot members are hashed.', seal(v1({ custom: { a: 1 } })), passes('PSSS')],
  ['empty-signals', 'signals: [] is hashed too.', seal(v1({}, { context: { signals: [] } })), passes('PSSS')],
  [
    'parameters-null-where-allowed',
    'topP and seed, when present, are finite numbers or null; other members are free.',
    seal(v1({ parameters: { topP: null, seed: null, stop: ['a'] } })),
    passes('PSSS'),
  ],
  ...TIMES.map(
    ([name, rule, time]): CaseLine => [`time-${name}`, rule, seal(change(v1(), 'createdAt', time)), passes('PSSS')],
  ),
  [
    'names-at-their-limits',
    'provider and model have 1 to 256 characters, and no control characters.',
    seal(v1({ provider: LONG.slice(1), model: ' \u00a0~' })),
    passes('PSSS'),
  ],
  [
    'key-of-256-characters',
    'A direct member name of snapshot has at most 256 characters.',
    seal(v1({ [LONG.slice(1)]: 1 })),
    passes('PSSS'),
  ],
  [
    'unbound-members-free',
    'meta and unknown top-level members are not hashed.',
    { ...seal(v1()), meta: { metadata: { any: 'thing' } }, note: 'unbound' },
    passes('PSSS'),
  ],
  [
    'supplemental-declaration',
    'Members outside the hash scope give CONTEXT_NOT_PROTECTED beside VERIFIED.',
    { ...seal(v1()), declaration: { author: 'me' } },
    passes('PSSS', { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] }),
  ],
  [
    'supplemental-signals',
    'Signals outside the hash scope give CONTEXT_NOT_PROTECTED beside VERIFIED.',
    { ...seal(v1()), signals: [] },
    passes('PSSS', { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] }),
  ],
  [
    'supplemental-members-null',
    'null means absent: nothing is supplemental.',
    { ...seal(v1()), signals: null, declaration: null },
    passes('PSSS', { supplemental: false }),
  ],
];

const changed: readonly CaseLine[] = (
  [
    ['created-at', 'createdAt', '2026-01-02T03:04:05.679Z'],
    ['model', 'snapshot.model', 'example-2'],
    ['parameter', 'snapshot.parameters.temperature', 1],
    ['input-hash', 'snapshot.inputHash', hashText('another')],
    ['protocol', 'snapshot.protocolVersion', '1.3.0'],
    ['signal', 'context.signals.0.payload.ok', false],
    ['context-removed', 'context', undefined],
    ['context-summary', 'contextSummary.signals', 2],
    ['policy-evaluation', 'policyEvaluation.passed', false],
    ['snapshot-member-added', 'snapshot.added', null],
    ['certificate-hash', 'certificateHash', hashText('another')],
  ] as const
).map(([name, path, to]) => [
  `changed-${name}`,
  'certificateHash covers bundleType, version, createdAt, snapshot, and when present context, contextSummary, policyEvaluation.',
  change(full, path, to),
  mismatch,
]);

const wrongForm: readonly CaseLine[] = [
  broken(
    'type-unknown',
    'An unknown bundle type fails closed.',
    'bundleType',
    'cer.ai.execution.v3',
    unsupported('bundleType'),
  ),
  broken('type-absent', 'An unknown bundle type fails closed.', 'bundleType', undefined, unsupported('bundleType')),
  broken(
    'type-inherited-name',
    'An unknown bundle type fails closed.',
    'bundleType',
    '__proto__',
    unsupported('bundleType'),
  ),
  broken('version-0-2', 'A v1 version other than 0.1 is SCHEMA_ERROR.', 'version', '0.2', unsupported('version')),
  broken('version-number', 'A v1 version other than 0.1 is SCHEMA_ERROR.', 'version', 0.1, unsupported('version')),
  broken(
    'protocol-unknown',
    'Verifiers fail closed on unknown protocol versions.',
    'snapshot.protocolVersion',
    '1.4.0',
    unsupported('snapshot.protocolVersion'),
  ),
  [
    'protocol-unknown-beside-a-malformed-hash',
    'An unknown protocol leaves the form of the bundle unknown.',
    change(seal(change(v1(), 'snapshot.protocolVersion', '1.4.0')), 'certificateHash', 'x'),
    unsupported('snapshot.protocolVersion'),
  ],
  broken(
    'protocol-inherited-name',
    'Verifiers fail closed on unknown protocol versions.',
    'snapshot.protocolVersion',
    'constructor',
    unsupported('snapshot.protocolVersion'),
  ),
  broken(
    'protocol-number',
    'Verifiers fail closed on unknown protocol versions.',
    'snapshot.protocolVersion',
    1.2,
    unsupported('snapshot.protocolVersion'),
  ),
  broken('snapshot-absent', 'A v1 bundle has a snapshot.', 'snapshot', undefined),
  broken('snapshot-null', 'snapshot is null only in hash-only bundles.', 'snapshot', null),
  [
    'snapshot-null-beside-another-version',
    'Without a snapshot nothing else of the form is checked.',
    { ...seal(change(v1(), 'snapshot', null)), version: '0.2' },
    schema('snapshot', { reasonCodes: ['SCHEMA_ERROR'] }),
  ],
  broken('snapshot-array', 'snapshot is an object.', 'snapshot', []),
  broken('snapshot-type-of-another-layout', 'snapshot.type is ai.execution.v1.', 'snapshot.type', 'ai.execution.v2'),
  broken('surface-other', 'executionSurface is ai.', 'snapshot.executionSurface', 'web'),
  broken('created-at-absent', 'createdAt is a timestamp.', 'createdAt', undefined),
  broken('created-at-impossible-date', 'A timestamp has a real date.', 'createdAt', '2026-02-30T00:00:00Z'),
  ...NO_TIMES.map(([name, rule, time]) => broken(`time-${name}`, rule, 'createdAt', time)),
  broken('timestamp-leap-second', 'Seconds are 00-59.', 'snapshot.timestamp', '2026-01-01T00:00:60Z'),
  broken('timestamp-without-zone', 'A timestamp has Z or an offset.', 'snapshot.timestamp', '2026-01-01T00:00:00'),
  broken('provider-empty', 'provider and model have 1 to 256 characters.', 'snapshot.provider', ''),
  broken('provider-too-long', 'provider and model have 1 to 256 characters.', 'snapshot.provider', LONG),
  broken('model-last-control-character', 'provider and model have no control characters.', 'snapshot.model', 'a\u009f'),
  broken('model-delete-character', 'provider and model have no control characters.', 'snapshot.model', 'a\u007f'),
  broken('model-unit-separator', 'provider and model have no control characters.', 'snapshot.model', '\u001fa'),
  broken('context-is-the-redaction-literal', 'context is an object.', 'context', '[REDACTED]'),
  broken('parameters-are-the-redaction-literal', 'parameters is an object.', 'snapshot.parameters', '[REDACTED]'),
  broken('model-control-character', 'provider and model have no control characters.', 'snapshot.model', 'a\u0085b'),
  broken('app-id-number', 'appId is a string or null.', 'snapshot.appId', 7),
  broken('prompt-empty', 'An empty prompt is SCHEMA_ERROR.', 'snapshot.prompt', ''),
  broken('parameters-array', 'parameters is an object.', 'snapshot.parameters', []),
  broken(
    'temperature-string',
    'temperature and maxTokens, when present, are finite numbers.',
    'snapshot.parameters.temperature',
    '0',
  ),
  broken(
    'max-tokens-null',
    'temperature and maxTokens, when present, are finite numbers.',
    'snapshot.parameters.maxTokens',
    null,
  ),
  broken('seed-string', 'topP and seed, when present, are finite numbers or null.', 'snapshot.parameters.seed', '1'),
  broken('metadata-array', 'snapshot.metadata is an object.', 'snapshot.metadata', []),
  broken('input-number', 'A raw input may be a string, object or array.', 'snapshot.input', 7),
  broken('output-null', 'A raw output may be a string, object or array.', 'snapshot.output', null),
  broken('context-array', 'context is an object.', 'context', []),
  broken('signals-object', 'context.signals is an array.', 'context', { signals: {} }, schema('context.signals')),
  broken(
    'signal-without-source',
    'A signal needs type, source and payload.',
    'context',
    { signals: [{ type: 'a', payload: {} }] },
    schema('context.signals[0].source'),
  ),
  broken(
    'signal-payload-string',
    'The payload of a signal is an object.',
    'context',
    { signals: [{ type: 'a', source: 'b', payload: 'c' }] },
    schema('context.signals[0].payload'),
  ),
  broken('meta-string', 'meta is an object.', 'meta', 'x'),
];

const missing: readonly CaseLine[] = ['executionId', 'timestamp', 'provider', 'model'].map((name) =>
  broken(
    `missing-${name.toLowerCase()}`,
    'v1 requires executionId, timestamp, provider, model.',
    `snapshot.${name}`,
    undefined,
    fails('PROTECTED_FIELD_MISSING', `snapshot.${name}`),
  ),
);

const hashForms: readonly CaseLine[] = [
  broken(
    'input-hash-absent',
    'inputHash absent or malformed is INVALID_SHA256_FORMAT.',
    'snapshot.inputHash',
    undefined,
    fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash'),
  ),
  broken(
    'input-hash-upper-case',
    'Hash text is sha256: and 64 lower-case hex, nothing else.',
    'snapshot.inputHash',
    `sha256:${'A'.repeat(64)}`,
    fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash'),
  ),
  broken(
    'output-hash-raw-hex',
    'Raw hex and base64 are never accepted.',
    'snapshot.outputHash',
    'a'.repeat(64),
    fails('INVALID_SHA256_FORMAT', 'snapshot.outputHash'),
  ),
  [
    'output-hash-redacted-outside-a-reseal',
    'Only in a reseal may a hash be removed.',
    seal(v1({ outputHash: '[REDACTED]' })),
    fails('INVALID_SHA256_FORMAT', 'snapshot.outputHash'),
  ],
  [
    'certificate-hash-absent',
    'certificateHash absent or malformed is INVALID_SHA256_FORMAT.',
    v1(),
    fails('INVALID_SHA256_FORMAT', 'certificateHash'),
  ],
  [
    'certificate-hash-trailing-newline',
    'Hash text is sha256: and 64 lower-case hex, nothing else.',
    { ...v1(), certificateHash: `${hashText('x')}\n` },
    fails('INVALID_SHA256_FORMAT', 'certificateHash'),
  ],
  [
    'certificate-hash-number',
    'certificateHash absent or malformed is INVALID_SHA256_FORMAT.',
    { ...v1(), certificateHash: 7 },
    fails('INVALID_SHA256_FORMAT', 'certificateHash'),
  ],
];

const values: readonly CaseLine[] = [
  [
    'input-mismatch',
    'A raw input that does not hash to inputHash is INPUT_HASH_MISMATCH.',
    seal(v1({ input: 'another' })),
    fails('INPUT_HASH_MISMATCH', 'snapshot.inputHash'),
  ],
  [
    'output-mismatch',
    'A raw output that does not hash to outputHash is OUTPUT_HASH_MISMATCH.',
    seal(v1({ output: { a: 1 } })),
    fails('OUTPUT_HASH_MISMATCH', 'snapshot.outputHash'),
  ],
  [
    'both-mismatch',
    'Both wrong is SNAPSHOT_HASH_MISMATCH.',
    seal(v1({ input: 'another', output: 'another' })),
    fails('SNAPSHOT_HASH_MISMATCH', 'snapshot.inputHash'),
  ],
  [
    'json-text-is-not-the-value',
    'A string is hashed as its bytes, not as JSON.',
    seal(v1({ input: 'a', inputHash: hashText('"a"') })),
    fails('INPUT_HASH_MISMATCH', 'snapshot.inputHash'),
  ],
  [
    'key-with-control-character',
    'A direct member name of snapshot with control characters is SCHEMA_KEY_INVALID.',
    seal(v1({ 'a\u0007': 1 })),
    fails('SCHEMA_KEY_INVALID', 'snapshot["a\\u0007"]'),
  ],
  [
    'key-of-257-characters',
    'A direct member name of snapshot over 256 characters is SCHEMA_KEY_INVALID.',
    seal(v1({ [LONG]: 1 })),
    fails('SCHEMA_KEY_INVALID', `snapshot["${LONG.slice(0, 64)}…"]`),
  ],
];

const precedence: readonly CaseLine[] = [
  [
    'schema-before-key',
    'The first code that applies: SCHEMA_ERROR before SCHEMA_KEY_INVALID.',
    seal(v1({ provider: '', 'a\n': 1 })),
    schema('snapshot.provider'),
  ],
  [
    'key-before-missing',
    'SCHEMA_KEY_INVALID before PROTECTED_FIELD_MISSING.',
    seal(change(v1({ 'a\n': 1 }), 'snapshot.model', undefined)),
    fails('SCHEMA_KEY_INVALID', 'snapshot["a\\n"]'),
  ],
  [
    'missing-before-hash-form',
    'PROTECTED_FIELD_MISSING before INVALID_SHA256_FORMAT.',
    change(v1(), 'snapshot.model', undefined),
    fails('PROTECTED_FIELD_MISSING', 'snapshot.model'),
  ],
  [
    'hash-form-before-canonicalization',
    'INVALID_SHA256_FORMAT before CANONICALIZATION_ERROR.',
    seal(v1({ protocolVersion: '1.3.0', inputHash: 'x', note: '\ud800' })),
    fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash'),
  ],
  [
    'canonicalization-before-mismatch',
    'CANONICALIZATION_ERROR before INPUT_HASH_MISMATCH.',
    seal(v1({ input: 'another', output: '\ud800' })),
    fails('CANONICALIZATION_ERROR', 'snapshot.output'),
  ],
  [
    'canonicalization-beside-mismatch',
    'The reasons have every code found.',
    seal(v1({ input: '\ud800', output: 'another' })),
    fails('CANONICALIZATION_ERROR', 'snapshot.input', 'FSSS', {
      reasonCodes: ['CANONICALIZATION_ERROR', 'OUTPUT_HASH_MISMATCH'],
    }),
  ],
  [
    'input-before-certificate',
    'INPUT_HASH_MISMATCH before CERTIFICATE_HASH_MISMATCH.',
    change(seal(v1({ input: 'What is a receipt?' })), 'snapshot.input', 'another'),
    fails('INPUT_HASH_MISMATCH', 'snapshot.inputHash'),
  ],
];

export function executionV1Cases(): Vector[] {
  return [
    ...group('v1', 'cer.ai.execution.v1', keySet(), [
      ...sealedBundles,
      ...wrongForm,
      ...missing,
      ...hashForms,
      ...values,
    ]),
    ...group('v1', 'Hash scope', keySet(), changed),
    ...group('order', 'Verification codes', keySet(), precedence),
  ];
}
