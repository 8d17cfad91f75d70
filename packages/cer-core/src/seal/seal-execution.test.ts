import { isJsonObject, parseJson, type JsonObject } from '@cer/canonical-json';
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { protectedSetOf } from '../bundle-types/execution-v2.js';
import { deriveSalts, openCommitment } from '../commitments/commit.js';
import { CONFIDENTIAL_MEMBERS, executionRequest, sealed, TEST_TIME } from '../testing/index.js';
import { evaluateCer } from '../verify/evaluate.js';
import { sealExecution, type SealingInputs } from './seal-execution.js';

const inputs: SealingInputs = {
  createdAt: '2026-05-05T05:05:05.555Z',
  timestamp: null,
  executionId: 'minted-id',
  saltsFor: (executionId) => deriveSalts(new Uint8Array(32).fill(9), 'tenant', executionId),
};
const snapshotOf = (bundle: JsonObject): JsonObject => {
  const { snapshot } = bundle as { snapshot?: unknown };
  if (!isJsonObject(snapshot)) throw new Error('no snapshot');
  return snapshot;
};
const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const v2 = { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'operative' };

describe('sealing a plain execution', () => {
  it('makes exactly the documented members', () => {
    const { bundle, certificateHash } = sealed({
      metadata: { a: 1 },
      prompt: 'dropped',
      unknown: 'dropped',
      declaration: {},
    });
    expect(bundle).toEqual({
      bundleType: 'cer.ai.execution.v1',
      version: '0.1',
      createdAt: TEST_TIME,
      snapshot: {
        type: 'ai.execution.v1',
        protocolVersion: '1.2.0',
        executionSurface: 'ai',
        executionId: 'exec-1',
        timestamp: TEST_TIME,
        provider: 'example',
        model: 'example-1',
        modelVersion: null,
        inputHash: sha('What is a receipt?'),
        outputHash: sha('A signed statement.'),
        parameters: { temperature: 0 },
        appId: null,
      },
      certificateHash,
    });
  });

  it('fills in absent and null members', () => {
    const request = {
      provider: 'p',
      model: 'm',
      input: 'i',
      output: 'o',
      executionId: null,
      createdAt: null,
      timestamp: null,
      protocolVersion: null,
    };
    const { bundle, executionId, createdAt, timestamp } = sealExecution(request, inputs);
    expect([executionId, createdAt, timestamp]).toEqual(['minted-id', inputs.createdAt, inputs.createdAt]);
    expect(snapshotOf(bundle)).toMatchObject({
      executionId: 'minted-id',
      timestamp: inputs.createdAt,
      protocolVersion: '1.2.0',
    });
    expect(snapshotOf(bundle)).not.toHaveProperty('parameters');
    const replay = sealExecution(
      { ...request, createdAt: '2026-01-01T00:00:00+01:00' },
      { ...inputs, timestamp: TEST_TIME },
    );
    expect([replay.createdAt, replay.timestamp]).toEqual(['2026-01-01T00:00:00+01:00', TEST_TIME]);
  });

  it.each([
    'parameters',
    'modelVersion',
    'appId',
    'context',
    'signals',
    'metadata',
    'bundleType',
    'protocolVersion',
    'inputHash',
    'outputHash',
    'prompt',
    'executionRole',
    'instruction',
    'instructionKind',
  ])('seals %s: null like the absent member', (name) => {
    const absent = Object.fromEntries(Object.entries(executionRequest()).filter(([other]) => other !== name));
    expect(sealExecution({ ...absent, [name]: null }, inputs).bundle).toEqual(sealExecution(absent, inputs).bundle);
  });

  it('takes the hash beside a raw value that is null', () => {
    const hashed = { provider: 'p', model: 'm', inputHash: sha('a'), outputHash: sha('b') };
    expect(sealExecution({ ...hashed, input: null, output: null }, inputs).bundle).toEqual(
      sealExecution(hashed, inputs).bundle,
    );
  });

  it('depends on the input only, so retries agree', () => {
    expect(sealed().certificateHash).toBe(sealed().certificateHash);
    expect(sealed({ input: 'another' }).certificateHash).not.toBe(sealed().certificateHash);
  });

  it('takes hashes unchanged', () => {
    const request = { provider: 'p', model: 'm', inputHash: sha('a'), outputHash: sha('b') };
    const { bundle } = sealExecution(request, inputs);
    expect(snapshotOf(bundle)).toMatchObject({ inputHash: sha('a'), outputHash: sha('b') });
  });

  it('keeps signals and context, also empty ones', () => {
    const signals = [{ type: 'a', source: 'b', payload: {}, actor: 'c' }];
    expect(sealed({ signals }).bundle).toMatchObject({ context: { signals } });
    expect(sealed({ signals: [] }).bundle).toMatchObject({ context: { signals: [] } });
    expect(sealed({ context: { signals: [], note: 1 } }).bundle).toMatchObject({ context: { signals: [], note: 1 } });
  });

  it('hashes a __proto__ member of verbatim values', () => {
    const parameters = parseJson('{"__proto__":{"a":1}}');
    const plain = sealed({ parameters: {} });
    const special = sealed({ parameters });
    expect(special.certificateHash).not.toBe(plain.certificateHash);
  });

  it('leaves no raw value in the bundle', () => {
    const { bundle } = sealed({ input: 'raw secret', output: { deep: ['raw secret'] }, prompt: 'raw secret' });
    expect(JSON.stringify(bundle)).not.toContain('raw secret');
  });

  it('refuses a value with no canonical form under jcs-v1', () => {
    expect(() => sealed({ protocolVersion: '1.3.0', input: ['\ud800'] })).toThrow(
      expect.objectContaining({ code: 'CANONICALIZATION_ERROR', path: 'input' }),
    );
  });
});

describe('sealing a confidential execution', () => {
  const { bundle, salts } = sealed(CONFIDENTIAL_MEMBERS);
  const snapshot = snapshotOf(bundle);

  it('commits to input and output, hashes sealed objects', () => {
    expect(Object.keys(snapshot['input'] as object)).toEqual(['_redacted', 'scheme', 'commitment']);
    const { commitment } = snapshot['input'] as { readonly commitment: string };
    expect(snapshot['inputHash']).toBe(
      sha(`{"_redacted":true,"commitment":"${commitment}","scheme":"hmac-sha256-v1"}`),
    );
    expect(JSON.stringify(bundle)).not.toContain('What is a receipt?');
    expect(snapshot['prompt']).toBe('Answer briefly.');
  });

  it('returns salts that open each field separately', () => {
    if (salts === null) throw new Error('no salts');
    expect(openCommitment(snapshot['input'], salts.input, { type: 'text', text: 'What is a receipt?' })).toBe(true);
    expect(openCommitment(snapshot['output'], salts.output, { type: 'text', text: 'A signed statement.' })).toBe(true);
    expect(openCommitment(snapshot['output'], salts.input, { type: 'text', text: 'A signed statement.' })).toBe(false);
  });

  it('gives the same hash on a retry only', () => {
    expect(sealed(CONFIDENTIAL_MEMBERS).certificateHash).toBe(sealed(CONFIDENTIAL_MEMBERS).certificateHash);
    const other = snapshotOf(sealed({ ...CONFIDENTIAL_MEMBERS, executionId: 'exec-2' }).bundle);
    expect(other['input']).not.toEqual(snapshot['input']);
  });

  it('needs no salts without commitments', () => {
    const saltsFor = (): never => {
      throw new Error('asked');
    };
    expect(sealExecution(executionRequest(), { ...inputs, saltsFor }).salts).toBeNull();
  });
});

describe('sealing v2', () => {
  it('hashes input and output and lists protected members', () => {
    const { bundle } = sealed({ ...v2, instruction: 'Be brief.', instructionKind: 'system', signals: [] });
    expect(bundle).toMatchObject({ version: '0.2', protectedSet: protectedSetOf(bundle) });
    expect(bundle['protectedSet']).toMatchObject({
      protectedFields: ['bundleType', 'version', 'createdAt', 'snapshot', 'context'],
    });
    expect(snapshotOf(bundle)).toMatchObject({
      input: sha('What is a receipt?'),
      executionRole: 'operative',
      instructionKind: 'system',
    });
    expect(snapshotOf(bundle)).not.toHaveProperty('inputHash');
  });

  it('has no 1.2.0', () => {
    expect(() => sealed({ ...v2, protocolVersion: '1.2.0' })).toThrow(
      expect.objectContaining({ code: 'SCHEMA_ERROR', path: 'protocolVersion' }),
    );
  });

  it('drops members of v2 unless the request asks for it', () => {
    expect(snapshotOf(sealed({ executionRole: 'operative', instruction: 'x' }).bundle)).not.toHaveProperty(
      'executionRole',
    );
  });
});

it.each<[string, JsonObject]>([
  ['1.2.0', {}],
  ['1.3.0', { protocolVersion: '1.3.0' }],
  ['1.3.1', CONFIDENTIAL_MEMBERS],
  ['v2 1.3.0', v2],
  ['v2 1.3.1', { ...v2, ...CONFIDENTIAL_MEMBERS }],
])('a sealed bundle verifies: %s', async (_, members) => {
  await expect(evaluateCer(sealed(members).bundle, { verifiedAt: TEST_TIME })).resolves.toMatchObject({
    status: 'VERIFIED',
    code: 'OK',
  });
});
