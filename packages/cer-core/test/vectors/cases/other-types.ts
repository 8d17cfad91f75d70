import {
  attest,
  change,
  confidential,
  flatRender,
  hashOnly,
  hashText,
  keySet,
  keySetWith,
  render,
  seal,
  v1,
  type Json,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type CaseLine, type Vector } from '../vector.js';

const INVALID = 'ATTESTATION_INVALID_SIGNATURE';
const RECEIPT = 'meta.attestation.receipt';

async function hashOnlyCases(): Promise<Vector[]> {
  const receipted = await attest(hashOnly(), { envelope: false, receipt: { scope: 'hash-only' } });
  const attestation = change(receipted, 'meta.attestation.protocolVersion', null);
  const UNVERIFIABLE = { classification: 'UNVERIFIABLE' };
  return group('hash-only', 'hash-only-timestamp', keySet(), [
    [
      'package-created-at-differs',
      'createdAt of a package equals the bundle’s, except around a reseal.',
      { cer: receipted, createdAt: '2020-01-01T00:00:00Z' },
      fails('ATTESTATION_INVALID_SIGNATURE', 'package.createdAt', 'PPFS'),
      { heading: 'Packages' },
    ],
    [
      'with-a-snapshot-and-a-protocol',
      'No copy of a protocol version is compared.',
      change(change(attestation, 'snapshot', {}), 'meta.attestation.protocolVersion', '1.3.0'),
      fails('SCHEMA_ERROR', 'snapshot', 'FPPS'),
    ],
    ['with-receipt', 'hash-only-timestamp gives VERIFIED when applicable checks pass.', attestation, passes('PPPS')],
    [
      'without-receipt',
      'A passing receipt of scope hash-only is required: without it FAILED, ATTESTATION_MISSING, UNVERIFIABLE.',
      hashOnly(),
      fails('ATTESTATION_MISSING', RECEIPT, 'PFFS', UNVERIFIABLE),
    ],
    [
      'without-key-set',
      'No key set given for a signed bundle.',
      attestation,
      fails('VERIFICATION_MATERIAL_UNAVAILABLE', RECEIPT, 'PFPS', UNVERIFIABLE),
      { keySet: null },
    ],
    [
      'of-another-hash',
      'The receipt names this certificateHash.',
      change(attestation, 'certificateHash', hashText('x')),
      fails(INVALID, `${RECEIPT}.certificateHash`, 'PPFS'),
    ],
    [
      'hash-malformed',
      'Integrity is the form of the hash.',
      hashOnly({ certificateHash: 'abc' }),
      fails('INVALID_SHA256_FORMAT', 'certificateHash', 'FFFS'),
    ],
    [
      'with-a-snapshot',
      'snapshot is null.',
      change(attestation, 'snapshot', {}),
      fails('SCHEMA_ERROR', 'snapshot', 'FPPS'),
    ],
    ['version-0-2', 'version is 0.1.', change(attestation, 'version', '0.2'), fails('SCHEMA_ERROR', 'version', 'FPPS')],
    [
      'with-context',
      'Context-like members that the hash does not protect.',
      change(attestation, 'context', { signals: [] }),
      passes('PPPS', { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] }),
      { heading: 'Supplemental content' },
    ],
    [
      'full-artifact-demanded',
      'INCOMPLETE_ARTIFACT: hash-only where a full one was demanded.',
      attestation,
      fails('INCOMPLETE_ARTIFACT', 'bundleType', 'PPPS'),
      { options: { requireFullArtifact: true }, heading: 'Overall status' },
    ],
    [
      'relabelled-v1',
      'A receipt of a full bundle never serves a bare hash.',
      {
        ...hashOnly({ certificateHash: seal(v1())['certificateHash'] ?? null }),
        meta: (await attest(seal(v1()), { envelope: false }))['meta'] ?? null,
      },
      fails(INVALID, `${RECEIPT}.scope`, 'PPFS'),
    ],
  ]);
}

async function legacyCases(): Promise<Vector[]> {
  const legacy = (relaxations: readonly string[], layers = 'PSSS', more: JsonObject = {}): JsonObject =>
    passes(layers, { classification: 'LEGACY_VERIFIED', relaxations, ...more });
  const noType = seal(change(v1(), 'snapshot.type', undefined));
  const noSurface = seal(change(v1(), 'snapshot.executionSurface', undefined));
  const flat = flatRender({ bundleType: 'legacy' });
  const CLOSED = 'A closed list of shapes.';
  const NONE = 'No shape relaxes hash equality, signature, revocation or hash form.';
  return group('legacy', 'legacy', keySet(), [
    ['without-snapshot-type', 'v1 layout whose snapshot lacks type.', noType, legacy(['snapshot-type-absent'])],
    [
      'without-surface',
      'v1 layout whose snapshot lacks executionSurface.',
      noSurface,
      legacy(['execution-surface-absent']),
    ],
    [
      'called-legacy',
      'The first shape has bundleType v1 or legacy.',
      seal(
        change(
          change({ ...v1(), bundleType: 'legacy' }, 'snapshot.type', undefined),
          'snapshot.executionSurface',
          undefined,
        ),
      ),
      legacy(['snapshot-type-absent', 'execution-surface-absent']),
    ],
    [
      'attested',
      'Pass: status VERIFIED, classification LEGACY_VERIFIED.',
      await attest(noType),
      legacy(['snapshot-type-absent'], 'PPPP'),
    ],
    [
      'attested-1-3-1',
      'Pass: status VERIFIED.',
      await attest(seal(change(confidential(), 'snapshot.executionSurface', undefined))),
      legacy(['execution-surface-absent'], 'PPPP', { contentMode: 'HASH_BOUND' }),
    ],
    [
      'without-protocol-is-no-legacy',
      'Missing protocolVersion in the v1 layout is plain 1.2.0, no legacy.',
      seal(change(v1(), 'snapshot.protocolVersion', undefined)),
      passes('PSSS', { relaxations: [] }),
    ],
    ['flat-render', 'Flat render records sealed over their members.', flat, legacy(['flat-render-record'])],
    [
      'flat-render-without-type',
      'A flat render record has bundleType legacy or none.',
      flatRender(),
      legacy(['flat-render-record']),
    ],
    [
      'flat-render-attested',
      'Pass: status VERIFIED, classification LEGACY_VERIFIED.',
      await attest({ ...flat, snapshot: {} }, { envelope: false }).then((bundle) =>
        change(bundle, 'snapshot', undefined),
      ),
      legacy(['flat-render-record'], 'PPPS'),
    ],
    [
      'flat-render-unknown-member',
      'Members outside the list are unbound.',
      { ...flat, note: 'x' },
      legacy(['flat-render-record']),
    ],
    [
      'flat-render-with-context',
      'Members like `context` outside the hash scope are supplemental.',
      { ...flat, context: {} },
      legacy(['flat-render-record'], 'PSSS', { supplemental: true, reasonCodes: ['CONTEXT_NOT_PROTECTED'] }),
      { heading: 'Supplemental content' },
    ],
    [
      'flat-render-seed-changed',
      NONE,
      { ...flat, seed: 'other' },
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
    ['flat-render-hash-malformed', NONE, flatRender({ varsHash: 'x' }), fails('INVALID_SHA256_FORMAT', 'varsHash')],
    [
      'flat-render-1-3-1',
      'Flat records have protocol 1.2.0 or 1.3.0.',
      flatRender({ protocolVersion: '1.3.1' }),
      fails('SCHEMA_ERROR', 'protocolVersion'),
    ],
    [
      'flat-render-of-an-unknown-protocol',
      'The shape is that of its members, whatever the protocol.',
      flatRender({ protocolVersion: '9.0.0', varsHash: 'x' }),
      fails('SCHEMA_ERROR', 'protocolVersion', 'FSSS', {
        relaxations: ['flat-render-record'],
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'],
      }),
    ],
    ['flat-render-incomplete', CLOSED, change(flat, 'varsHash', undefined), fails('SCHEMA_ERROR', 'snapshot')],
    [
      'whole-v1-called-legacy',
      CLOSED,
      seal({ ...v1(), bundleType: 'legacy' }),
      fails('SCHEMA_ERROR', 'snapshot.type', 'FSSS', {
        reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'],
      }),
    ],
    [
      'content-changed',
      NONE,
      change(noType, 'snapshot.model', 'other'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
    [
      'hash-malformed',
      NONE,
      seal(change(change(v1(), 'snapshot.type', undefined), 'snapshot.inputHash', 'x')),
      fails('INVALID_SHA256_FORMAT', 'snapshot.inputHash'),
    ],
    [
      'under-a-revoked-key',
      NONE,
      await attest(noType, { envelope: false }),
      fails('KEY_REVOKED', RECEIPT, 'PFPS'),
      { keySet: keySetWith({ status: 'revoked', revokedAt: '2026-06-01T00:00:00Z' }) },
    ],
    [
      'member-missing',
      'What v1 requires, a legacy v1 layout requires.',
      seal(change(change(v1(), 'snapshot.type', undefined), 'snapshot.model', undefined)),
      fails('PROTECTED_FIELD_MISSING', 'snapshot.model'),
    ],
  ]);
}

async function renderCases(): Promise<Vector[]> {
  const line = (
    name: string,
    rule: string,
    path: string,
    to: Json | undefined,
    code = 'SCHEMA_ERROR',
    member = path,
  ): CaseLine => [name, rule, seal(change(render(), path, to)), fails(code, member)];
  const OUTSIDE = 'Only in a reseal does the literal represent a removed value.';
  return group('render', 'cer.codemode.render.v1', keySet(), [
    line('context-summary-is-text', 'contextSummary is an object.', 'contextSummary', 'x'),
    line('signal-without-a-type', 'Signals have a type.', 'context', { signals: [{ source: 'a', payload: {} }] }, 'SCHEMA_ERROR', 'context.signals[0].type'),
    line('engine-is-text', 'engine is an object with a name.', 'snapshot.engine', 'x'),
    line('engine-without-a-name', 'engine is an object with a name.', 'snapshot.engine', {}, 'SCHEMA_ERROR', 'snapshot.engine.name'),
    ['sealed', 'Same hash rule as v1.', seal(render()), passes('PSSS')],
    [
      'certified',
      'A certified render is VERIFIED in all layers.',
      await attest(seal(render({ protocolVersion: '1.3.0' }))),
      passes('PPPP'),
    ],
    [
      'loop',
      'execution.mode is static or loop.',
      seal(render({ execution: { mode: 'loop', totalFrames: 2, fps: 30 } })),
      passes('PSSS'),
    ],
    [
      'seed-changed',
      'Same hash rule as v1.',
      change(seal(render()), 'snapshot.seed', 'other'),
      fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash'),
    ],
    line('protocol-1-3-1', '1.3.1 is refused for renders.', 'snapshot.protocolVersion', '1.3.1'),
    line('version-0-2', 'bundle version 0.1.', 'version', '0.2'),
    line('type-of-v1', 'snapshot.type is codemode.render.v1.', 'snapshot.type', 'ai.execution.v1'),
    line('canvas-without-width', 'canvas is {width, height}.', 'snapshot.canvas.width', 0),
    line('canvas-string', 'canvas is {width, height}.', 'snapshot.canvas', 'large'),
    line('canvas-of-half-a-pixel', 'width and height are positive integers.', 'snapshot.canvas.width', 0.5),
    line('canvas-without-height', 'canvas is {width, height}.', 'snapshot.canvas.height', undefined),
    line('canvas-is-the-redaction-literal', OUTSIDE, 'snapshot.canvas', '[REDACTED]'),
    line('width-is-the-redaction-literal', OUTSIDE, 'snapshot.canvas.width', '[REDACTED]'),
    line('execution-is-the-redaction-literal', OUTSIDE, 'snapshot.execution', '[REDACTED]'),
    line('mode-is-the-redaction-literal', OUTSIDE, 'snapshot.execution.mode', '[REDACTED]'),
    line('engine-is-the-redaction-literal', OUTSIDE, 'snapshot.engine', '[REDACTED]'),
    line('vars-are-an-object', 'vars is an array of numbers.', 'snapshot.vars', { length: 0 }),
    line('mode-unknown', 'execution.mode is static or loop.', 'snapshot.execution.mode', 'still'),
    line('vars-with-text', 'vars is an array of numbers.', 'snapshot.vars', [1, '2']),
    line('seed-number', 'seed is a string.', 'snapshot.seed', 1),
    line(
      'seed-missing',
      'All members but protocolVersion are required.',
      'snapshot.seed',
      undefined,
      'PROTECTED_FIELD_MISSING',
    ),
    line(
      'canvas-missing',
      'All members but protocolVersion are required.',
      'snapshot.canvas',
      undefined,
      'PROTECTED_FIELD_MISSING',
    ),
    line(
      'output-hash-malformed',
      'codeHash, outputHash, imageHash are hashes.',
      'snapshot.outputHash',
      'x',
      'INVALID_SHA256_FORMAT',
    ),
    line(
      'code-hash-missing',
      'codeHash, outputHash, imageHash are hashes.',
      'snapshot.codeHash',
      undefined,
      'INVALID_SHA256_FORMAT',
    ),
  ]);
}

export async function otherTypeCases(): Promise<Vector[]> {
  return [...(await hashOnlyCases()), ...(await legacyCases()), ...(await renderCases())];
}
