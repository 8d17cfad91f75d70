import { isJsonObject, parseJson, type JsonObject } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { attestBundle } from '../attest/attest.js';
import { codemodeRender } from '../bundle-types/codemode-render.js';
import { executionV1 } from '../bundle-types/execution-v1.js';
import { executionV2 } from '../bundle-types/execution-v2.js';
import { CONFIDENTIAL_MEMBERS, sealed, testKeys, TEST_ATTESTOR, TEST_TIME } from '../testing/index.js';
import { evaluateCer } from '../verify/evaluate.js';
import { toReport } from '../verify/present.js';
import { DEFAULT_PUBLISH_SETTINGS, type PublishSettings } from './publish-settings.js';
import { redact } from './redact.js';
import { redactionPolicyFor, resealForPublication, type Reseal } from './reseal.js';
import { withheldPaths } from './withheld-paths.js';

const facts = { attestationId: '11111111-2222-4333-8444-555555555555', attestedAt: TEST_TIME };
const v2 = { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'operative' };

async function resealed(
  members: JsonObject,
  settings: PublishSettings = DEFAULT_PUBLISH_SETTINGS,
): Promise<Reseal & { original: string }> {
  const execution = sealed(members);
  const layout = members['bundleType'] === undefined ? executionV1 : executionV2;
  const meta = await attestBundle(execution, TEST_ATTESTOR, facts);
  const paths = withheldPaths(execution.bundle, layout, settings);
  const reseal = await resealForPublication({ ...execution, layout, meta }, paths, TEST_ATTESTOR, facts);
  return { ...reseal, original: execution.certificateHash };
}

describe('a reseal for the public', () => {
  it.each<[string, JsonObject, string]>([
    ['v1', { parameters: { user: 'free text', temperature: 1 } }, 'VERIFIED'],
    ['v2', { ...v2, instruction: 'Be brief.', instructionKind: 'system' }, 'VERIFIED'],
    ['1.3.1 with its commitments', CONFIDENTIAL_MEMBERS, 'VERIFIED_CONFIDENTIAL'],
    ['v2 under 1.3.1', { ...v2, ...CONFIDENTIAL_MEMBERS }, 'VERIFIED_CONFIDENTIAL'],
  ])('verifies, and proves its original: %s', async (_, members, status) => {
    const { bundle, certificateHash, original } = await resealed(members);
    const evaluation = await evaluateCer(bundle, { keySet: testKeys(), verifiedAt: TEST_TIME });
    expect(evaluation).toMatchObject({
      status,
      certificateHash,
      isResealed: true,
      receipt: { status: 'PASS' },
      envelope: { status: 'SKIPPED' },
      provenance: { state: 'proven', originalCertificateHash: original },
    });
    expect(certificateHash).not.toBe(original);
    expect(toReport(evaluation, 'test/1')).toMatchObject({
      certificateHash,
      resealedCertificateHash: certificateHash,
      originalCertificateHash: original,
    });
    const unproven = await evaluateCer({ ...bundle, meta: {} }, { keySet: testKeys(), verifiedAt: TEST_TIME });
    expect(toReport(unproven, 'test/1')).not.toHaveProperty('originalCertificateHash');
  });

  it('hides withheld values and lists their paths', async () => {
    const { bundle } = await resealed(
      { ...CONFIDENTIAL_MEMBERS, prompt: 'withheld words', signals: [] },
      { ...DEFAULT_PUBLISH_SETTINGS, context: false },
    );
    expect(JSON.stringify(bundle)).not.toContain('withheld words');
    expect(bundle).toMatchObject({
      bundleType: 'signed-redacted-reseal',
      context: '[REDACTED]',
      meta: { provenance: { redactionPolicy: 'public.v1:context,snapshot.prompt', redactedAt: TEST_TIME } },
    });
  });

  it('fails when changed by one word', async () => {
    const { bundle } = await resealed({ parameters: { user: 'free text' } });
    const changed = { ...bundle, createdAt: '2020-01-01T00:00:00Z' };
    await expect(evaluateCer(changed, { keySet: testKeys(), verifiedAt: TEST_TIME })).resolves.toMatchObject({
      status: 'FAILED',
      code: 'CERTIFICATE_HASH_MISMATCH',
    });
  });
});

describe('what is withheld', () => {
  const snapshot: JsonObject = {
    type: 'ai.execution.v1',
    provider: 'p',
    prompt: 'x',
    input: 'raw',
    output: { raw: true },
    inputHash: `sha256:${'a'.repeat(64)}`,
    parameters: { temperature: 1, seed: null, stream: true, stop: ['x'], user: 'u', nested: {} },
    metadata: { team: 'a', ticket: 'b' },
    custom: 1,
    toolCalls: [{ toolId: 't', at: TEST_TIME, input: 'x', output: 'y', outputHash: 'z', note: 'n' }],
  };
  const bundle: JsonObject = { snapshot, context: {}, contextSummary: {}, policyEvaluation: {} };
  const paths = (settings: Partial<PublishSettings>): string[] =>
    redactionPolicyFor(withheldPaths(bundle, executionV1, { ...DEFAULT_PUBLISH_SETTINGS, ...settings }))
      .slice('public.v1:'.length)
      .split(',');
  const ALWAYS = [
    'snapshot.custom',
    'snapshot.input',
    'snapshot.output',
    'snapshot.parameters.nested',
    'snapshot.parameters.stop',
    'snapshot.parameters.user',
    'snapshot.toolCalls[0].input',
    'snapshot.toolCalls[0].note',
    'snapshot.toolCalls[0].output',
  ];

  it.each<[string, Partial<PublishSettings>, string[]]>([
    ['by default', {}, ['snapshot.metadata', 'snapshot.prompt']],
    ['with prompts published', { prompt: true }, ['snapshot.metadata']],
    ['with all metadata', { metadata: 'all', prompt: true }, []],
    ['with some metadata', { metadata: ['team'] }, ['snapshot.metadata.ticket', 'snapshot.prompt']],
    [
      'without context',
      { context: false, prompt: true, metadata: 'all' },
      ['context', 'contextSummary', 'policyEvaluation'],
    ],
  ])('%s', (_, settings, more) => {
    expect(paths(settings)).toEqual([...ALWAYS, ...more].sort());
  });

  it('is nothing in a plain bundle', () => {
    expect(withheldPaths(sealed().bundle, executionV1, DEFAULT_PUBLISH_SETTINGS)).toEqual([]);
  });

  it('excludes sealed values and hashes', () => {
    const sealedSnapshot = sealed({ ...CONFIDENTIAL_MEMBERS }).bundle;
    expect(withheldPaths(sealedSnapshot, executionV1, { ...DEFAULT_PUBLISH_SETTINGS, prompt: true })).toEqual([]);
    expect(withheldPaths(sealed(v2).bundle, executionV2, DEFAULT_PUBLISH_SETTINGS)).toEqual([]);
  });

  it('includes raw values that look like hashes', () => {
    const { snapshot, ...bundle } = sealed().bundle;
    const { bundle: confidential } = sealed(CONFIDENTIAL_MEMBERS);
    if (!isJsonObject(snapshot) || !isJsonObject(confidential['snapshot'])) throw new Error('no snapshot');
    const raw = { input: `sha256:${'a'.repeat(64)}`, output: confidential['snapshot']['output'] };
    const paths = withheldPaths(
      { ...bundle, snapshot: { ...snapshot, ...raw } },
      executionV1,
      DEFAULT_PUBLISH_SETTINGS,
    );
    expect(paths).toEqual([
      ['snapshot', 'input'],
      ['snapshot', 'output'],
    ]);
  });

  it('includes members that the layout does not name', () => {
    const snapshot = { type: 'codemode.render.v1', output: `sha256:${'a'.repeat(64)}` };
    expect(withheldPaths({ snapshot }, codemodeRender, DEFAULT_PUBLISH_SETTINGS)).toEqual([['snapshot', 'output']]);
  });

  it('includes the instruction of v2 unless published', () => {
    const { bundle: withInstruction } = sealed({ ...v2, instruction: 'x', instructionKind: 'system' });
    expect(withheldPaths(withInstruction, executionV2, DEFAULT_PUBLISH_SETTINGS)).toEqual([
      ['snapshot', 'instruction'],
    ]);
    expect(withheldPaths(withInstruction, executionV2, { ...DEFAULT_PUBLISH_SETTINGS, instruction: true })).toEqual([]);
  });
});

describe('redaction', () => {
  it('replaces whole values in a copy', () => {
    const value: JsonObject = { a: { b: [1, { c: 2 }] }, d: 3 };
    const before = JSON.stringify(value);
    expect(redact(value, [['a', 'b', 1, 'c'], ['d'], ['nowhere', 'x'], ['a', 'b', 9]])).toEqual({
      a: { b: [1, { c: '[REDACTED]' }] },
      d: '[REDACTED]',
    });
    expect(JSON.stringify(value)).toBe(before);
  });

  it('keeps an own __proto__', () => {
    const value = parseJson('{"__proto__":{"a":1},"b":2}');
    if (!isJsonObject(value)) throw new Error('no object');
    expect(JSON.stringify(redact(value, [['b']]))).toBe('{"__proto__":{"a":1},"b":"[REDACTED]"}');
  });
});
