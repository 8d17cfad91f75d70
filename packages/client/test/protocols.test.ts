import { afterEach, describe, expect, it } from '@jest/globals';
import { parseJson, svcV1 } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { openCommitment } from '@cer/cer-core/verify';
import { decodeBase64Url } from '@cer/keys';
import OpenAI from 'openai';

import { certificates, type CertificatesOptions, type Opened } from '../src/index.js';
import { textOf } from '../src/json.js';
import { COMPLETION, sendJson, type ModelHandler } from './model-server.js';
import { NODE_DOWN, objectIn, ObservedProgram } from './observed-program.js';

const SECRET = 'the secret of the caller';
const params = { model: 'example-1', messages: [{ role: 'user' as const, content: SECRET }], temperature: 0.5 };
const answers: ModelHandler = (_, response) => {
  sendJson(response, COMPLETION);
};

let program: ObservedProgram;
afterEach(async () => program.end());

async function call(
  options: Partial<CertificatesOptions>,
  request: object = { ...params, max_completion_tokens: 64 },
): Promise<unknown> {
  program = await ObservedProgram.start(answers, options);
  const plain = new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 });
  return program.cer.openai(plain).chat.completions.create({ ...params, ...request });
}

describe('under 1.2.0', () => {
  it('input and output are hashed in its canonical form', async () => {
    await call({ protocol: '1.2.0' });
    const [found] = program.calls();
    const request = parseJson(JSON.stringify({ ...params, max_completion_tokens: 64 }));
    expect(found?.snapshot).toMatchObject({
      protocolVersion: '1.2.0',
      inputHash: hashValue(request, svcV1, 'input'),
      outputHash: hashValue(parseJson(JSON.stringify(COMPLETION)), svcV1, 'output'),
    });
  });
});

describe('under 1.3.1', () => {
  it('openings confirm the values, and are nowhere else', async () => {
    const opened: Opened[] = [];
    await call({ confidential: { prompt: 'An answer', onOpenings: (found) => opened.push(found) } });
    const [found] = program.calls();
    const { openings, executionId } = opened[0] ?? { openings: {}, executionId: '' };
    expect(opened).toHaveLength(1);
    expect(found?.snapshot).toMatchObject({
      protocolVersion: '1.3.1',
      executionId,
      prompt: 'An answer',
      parameters: { temperature: 0.5, maxTokens: 64, topP: null, seed: null },
    });
    const values = { input: { ...params, max_completion_tokens: 64 }, output: COMPLETION };
    for (const [field, value] of Object.entries(values)) {
      const salt = textOf(objectIn(parseJson(JSON.stringify(openings)), field), 'salt') ?? '';
      expect(program.stored()).not.toContain(salt);
      const opens = (claimed: unknown): boolean =>
        openCommitment(objectIn(found?.snapshot, field), decodeBase64Url(salt), {
          type: 'json',
          value: parseJson(JSON.stringify(claimed)),
        });
      expect([opens(value), opens({ ...value, more: 1 })]).toEqual([true, false]);
    }
  });

  it('no hash of the answer is in clear', async () => {
    await call({ confidential: { prompt: 'An answer', onOpenings: () => undefined } });
    expect(program.calls()[0]?.payload).not.toHaveProperty('responseSha256');
    expect(program.stored()).not.toMatch(/the secret of the caller|Hello/);
  });

  it('equal calls have different commitments', async () => {
    await call({ confidential: { prompt: 'An answer', onOpenings: () => undefined } });
    const plain = new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 });
    await program.cer.openai(plain).chat.completions.create({ ...params, max_completion_tokens: 64 });
    expect(new Set(program.calls().map(({ snapshot }) => snapshot['outputHash'])).size).toBe(2);
  });

  it('a call without the required numbers is counted and named', async () => {
    await call({ confidential: { prompt: 'An answer', onOpenings: () => undefined } }, {});
    expect(program.cer.stats()).toMatchObject({ seen: 1, unsealed: 1, sealed: 0 });
    expect(String(program.faults)).toContain('parameters.maxTokens');
  });

  it('declared numbers are named as such', async () => {
    const parameters = { temperature: 1, maxTokens: 4096 };
    await call({ confidential: { prompt: 'An answer', onOpenings: () => undefined, parameters } }, {});
    const [found] = program.calls();
    expect(found?.snapshot).toMatchObject({ parameters: { temperature: 0.5, maxTokens: 4096 } });
    expect(found?.payload).toMatchObject({ declaredParameters: ['maxTokens'] });
  });

  it('declared numbers are named in the order of their names', async () => {
    const parameters = { temperature: 1, seed: 7, maxTokens: 4096 };
    await call({ confidential: { prompt: 'An answer', onOpenings: () => undefined, parameters } }, {});
    expect(program.calls()[0]?.payload).toMatchObject({ declaredParameters: ['maxTokens', 'seed'] });
  });

  it('an answer over the limit is sealed by hash', async () => {
    await call({ maxContentBytes: 10, confidential: { prompt: 'An answer', onOpenings: () => undefined } });
    expect(program.calls()[0]?.payload).toMatchObject({ outputIs: 'bytes' });
  });

  it('a call whose openings are refused has no certificate', async () => {
    const onOpenings = (): void => {
      throw new Error('no room for openings');
    };
    await call({ confidential: { prompt: 'An answer', onOpenings } });
    expect(program.cer.stats()).toMatchObject({ seen: 1, unsealed: 1, waiting: 0 });
  });

  it.each<[Partial<CertificatesOptions>]>([
    [{ protocol: '1.3.1' }],
    [{ protocol: '1.3.0', confidential: { prompt: 'x', onOpenings: () => undefined } }],
  ])('options that contradict each other are refused', async (options) => {
    program = await ObservedProgram.start(answers);
    expect(() => certificates({ appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: null, ...options })).toThrow(
      'protocol: 1.3.1 and the option confidential need each other',
    );
  });
});
