// Sealing is deterministic: each request with its times and id has one bundle, built here from the text of the
// specification, and each request with a fault is refused.
import { canonical, commitmentTo, sha256, valueHash, withHash } from '../canonical.mjs';

const CREATED = '2026-01-02T03:04:05.678Z';
const SALTS = { input: Buffer.alloc(32, 1), output: Buffer.alloc(32, 2) };
const PARAMETERS = { temperature: 0, maxTokens: 64, topP: null, seed: 7 };
const BASE = {
  executionId: 'seal-1',
  provider: 'example',
  model: 'example-1',
  createdAt: CREATED,
  input: 'in',
  output: 'out',
};
const SIGNAL = { type: 'check', source: 'suite', payload: { passed: true }, step: 3 };

function snapshotOf(request) {
  return {
    type: 'ai.execution.v1',
    protocolVersion: request.protocolVersion ?? '1.2.0',
    executionSurface: 'ai',
    executionId: request.executionId,
    timestamp: request.timestamp ?? request.createdAt,
    provider: request.provider,
    model: request.model,
    modelVersion: request.modelVersion ?? null,
    inputHash: request.inputHash ?? valueHash(request.input),
    outputHash: request.outputHash ?? valueHash(request.output),
    ...(request.parameters && { parameters: request.parameters }),
    appId: request.appId ?? null,
  };
}

function bundleOf(request, more = {}) {
  const context = request.context ?? (request.signals && { signals: request.signals });
  const bundle = {
    bundleType: 'cer.ai.execution.v1',
    version: '0.1',
    createdAt: request.createdAt,
    snapshot: { ...snapshotOf(request), ...more },
    ...(context && { context }),
  };
  return withHash(bundle);
}

function confidential(request) {
  const [input, output] = ['input', 'output'].map((name) => commitmentTo(request[name], SALTS[name]));
  return bundleOf(request, {
    prompt: request.prompt,
    input,
    output,
    inputHash: sha256(canonical(input)),
    outputHash: sha256(canonical(output)),
  });
}

/** [id, heading, rule, members beside BASE] */
const SEALED = [
  ['text', 'Sealing', 'A text is hashed as its UTF-8 bytes.', {}],
  ['empty-text', 'Hashing values', 'A string may be empty.', { input: '' }],
  ['object', 'Hashing values', 'An object is hashed as canonical JSON.', { input: { b: [1, 2.5], a: null } }],
  ['array', 'Hashing values', 'An array is hashed as canonical JSON.', { output: [{ z: 1, a: 'é' }] }],
  ['non-ascii', 'Hashing values', 'There is no Unicode normalization.', { input: 'e\u0301 \u{1F600}' }],
  [
    'hashes',
    'Describing an execution',
    'Hashes may be given in place of values.',
    { input: undefined, inputHash: sha256('x'), output: undefined, outputHash: sha256('y') },
  ],
  ['1-3-0', 'Protocol versions', 'protocolVersion is part of the hashed snapshot.', { protocolVersion: '1.3.0' }],
  [
    'parameters',
    'cer.ai.execution.v1',
    'parameters are hashed verbatim.',
    { parameters: { temperature: 0.2, stop: ['a'], nested: { b: 1, a: null } } },
  ],
  ['labels', 'cer.ai.execution.v1', 'modelVersion and appId are hashed.', { modelVersion: '2', appId: 'app' }],
  [
    'timestamp',
    'Times',
    'A supplied time is kept to the letter.',
    { timestamp: '2026-01-02T04:04:05.678000000+01:00' },
  ],
  ['signals', 'Hash scope', 'Signals become part of context and of the hash.', { signals: [SIGNAL] }],
  ['no-signals', 'Describing an execution', 'signals becomes context also when empty.', { signals: [] }],
  [
    'context',
    'Describing an execution',
    'context is taken whole.',
    { context: { signals: [SIGNAL], other: { b: 1 } } },
  ],
];
const UNHASHED = [
  ['unknown-member', 'Describing an execution', 'Unknown members are dropped.', { extra: 1 }],
  ['prompt-dropped', 'Describing an execution', 'prompt is dropped under 1.2.0 and 1.3.0.', { prompt: 'p' }],
  [
    'null-members',
    'Null in requests',
    'A direct member that is null is absent.',
    {
      appId: null,
      modelVersion: null,
      parameters: null,
      context: null,
      metadata: null,
      timestamp: null,
      protocolVersion: null,
    },
  ],
];
/** [id, heading, members] of requests that have a fault */
const REFUSED = [
  ['no-provider', 'Describing an execution', { provider: undefined }],
  ['null-provider', 'Null in requests', { provider: null }],
  ['empty-model', 'Members and their rules', { model: '' }],
  ['long-model', 'Members and their rules', { model: 'm'.repeat(257) }],
  ['control-in-model', 'Members and their rules', { model: 'a\u0085b' }],
  ['surrogate-in-id', 'Members and their rules', { executionId: '\ud800' }],
  ['surrogate-in-input', 'Hashing values', { input: '\ud800' }],
  ['number-input', 'Hashing values', { input: 1 }],
  ['boolean-output', 'Hashing values', { output: true }],
  ['both-input-and-hash', 'Describing an execution', { inputHash: sha256('x') }],
  ['upper-case-hash', 'Hashing values', { input: undefined, inputHash: sha256('x').toUpperCase() }],
  ['raw-hex-hash', 'Hashing values', { input: undefined, inputHash: sha256('x').slice(7) }],
  ['unknown-protocol', 'Protocol versions', { protocolVersion: '9.9.9' }],
  ['unknown-bundle-type', 'Describing an execution', { bundleType: 'cer.other' }],
  ['not-a-date', 'Times', { createdAt: '2026-02-30T00:00:00Z' }],
  ['no-offset', 'Times', { createdAt: '2026-02-03T00:00:00' }],
  ['lower-case-t', 'Times', { createdAt: '2026-02-03t00:00:00Z' }],
  ['leap-second', 'Times', { createdAt: '2016-12-31T23:59:60Z' }],
  ['ten-digits', 'Times', { createdAt: '2026-02-03T00:00:00.0123456789Z' }],
  ['signals-and-context', 'Describing an execution', { signals: [SIGNAL], context: { signals: [] } }],
  ['signal-without-source', 'Members and their rules', { signals: [{ type: 'a', payload: {} }] }],
  ['temperature-text', 'Members and their rules', { parameters: { temperature: '0' } }],
  ['temperature-null', 'Members and their rules', { parameters: { temperature: null } }],
  ['no-prompt', 'Describing an execution', { protocolVersion: '1.3.1', parameters: PARAMETERS }],
  ['no-parameters', 'Describing an execution', { protocolVersion: '1.3.1', prompt: 'p' }],
  [
    'fifth-parameter',
    'Describing an execution',
    { protocolVersion: '1.3.1', prompt: 'p', parameters: { ...PARAMETERS, top: 1 } },
  ],
  [
    'hash-under-1-3-1',
    'Confidential executions',
    { protocolVersion: '1.3.1', prompt: 'p', parameters: PARAMETERS, input: undefined, inputHash: sha256('x') },
  ],
];

export function sealCases() {
  const requestOf = (members) =>
    Object.fromEntries(Object.entries({ ...BASE, ...members }).filter(([, value]) => value !== undefined));
  const sealed = SEALED.map(([id, heading, rule, members]) => {
    const request = requestOf(members);
    return caseOf(id, heading, rule, request, bundleOf(request));
  });
  const unhashed = UNHASHED.map(([id, heading, rule, members]) =>
    caseOf(id, heading, rule, requestOf(members), bundleOf(requestOf({}))),
  );
  const refused = REFUSED.map(([id, heading, members]) => ({
    ...caseOf(`${id}_fail`, heading, 'A request with a fault is refused.', requestOf(members), null),
    expected: { refused: 'VALIDATION_ERROR' },
  }));
  const secret = requestOf({ protocolVersion: '1.3.1', prompt: 'p', parameters: PARAMETERS, input: { a: 1 } });
  const commitments = caseOf(
    'confidential',
    'Commitments',
    'A commitment is HMAC-SHA-256 under the salt.',
    secret,
    confidential(secret),
  );
  return [...sealed, ...unhashed, commitments, ...refused, ...notStrict()];
}

function caseOf(id, heading, rule, request, bundle) {
  const salts = { input: SALTS.input.toString('base64url'), output: SALTS.output.toString('base64url') };
  const file = { request: JSON.stringify(request), salts };
  // JSON objects have no order: what is compared is the canonical text.
  return { id: `seal/${id}`, heading, rule, command: 'seal', file, expected: bundle && { bundle: canonical(bundle) } };
}

function notStrict() {
  const text = JSON.stringify(BASE);
  const texts = [
    ['duplicate-member', text.replace('{', '{"model":"a",')],
    ['escaped-duplicate', text.replace('{', '{"\\u006dodel":"a",')],
    ['inexact-integer', text.replace('"in"', '[9007199254740993]')],
    ['inexact-integer-with-zeros', text.replace('"in"', '[9007199254740993.0]')],
    ['overflow', text.replace('"in"', '[1e400]')],
    ['underflow', text.replace('"in"', '[1e-400]')],
  ];
  return texts.map(([id, request]) => ({
    id: `seal/${id}_fail`,
    heading: 'Strict JSON',
    rule: 'JSON text is parsed strictly.',
    command: 'seal',
    file: { request },
    expected: { refused: 'JSON_NOT_STRICT' },
  }));
}
