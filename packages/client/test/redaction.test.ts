import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';

import { certificates, type CertificatesOptions, type Json, type Redaction } from '../src/index.js';
import { chunk, COMPLETION, sendJson, startStream, type ModelHandler } from './model-server.js';
import { hashOf, NODE_DOWN, ObservedProgram, readAll } from './observed-program.js';

const CARD = '4111 1111 1111 1111';
const params = { model: 'example-1', messages: [{ role: 'user' as const, content: `I pay with ${CARD}` }] };
const answerOf = (content: string): object => ({
  ...COMPLETION,
  choices: [{ ...COMPLETION.choices[0], message: { role: 'assistant', content } }],
});

const masked = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(/\b(?:\d{4} ?){4}\b/g, '[card]')) as Json;
const cards: Redaction = { name: 'cards-1', redact: masked };

let program: ObservedProgram;
afterEach(async () => program.end());

async function openai(handler: ModelHandler, options: Partial<CertificatesOptions>): Promise<OpenAI> {
  program = await ObservedProgram.start(handler, options);
  return program.cer.openai(new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 }));
}
const json: ModelHandler = (_, response) => {
  sendJson(response, answerOf(`Paid with ${CARD}`));
};

describe('content is masked before it is hashed', () => {
  it('and the certificate names the rules', async () => {
    const client = await openai(json, { redaction: cards });
    const { choices } = await client.chat.completions.create(params);
    expect(choices[0]?.message.content).toBe(`Paid with ${CARD}`);
    expect(program.calls()[0]).toMatchObject({
      snapshot: { inputHash: hashOf(masked(params)), outputHash: hashOf(answerOf('Paid with [card]')) },
      payload: { redactedBy: 'cards-1', redacted: ['input', 'output'], outputIs: 'body' },
    });
    expect(program.calls()[0]?.payload).not.toHaveProperty('responseSha256');
  });

  it('of a stream, whose answer is masked as a whole', async () => {
    const outputs: Json[] = [];
    const redact: Redaction['redact'] = (value, part) => {
      if (part === 'output') outputs.push(value);
      return masked(value);
    };
    const client = await openai(
      (_, response) => {
        startStream(response);
        for (const part of ['4111 1111', ' 1111 1111']) response.write(chunk({ content: part }));
        response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
      },
      { redaction: { ...cards, redact } },
    );
    await readAll(await client.chat.completions.create({ ...params, stream: true }));
    const [call] = program.calls();
    expect(JSON.stringify(outputs)).toContain(CARD);
    expect(call?.payload).toMatchObject({ outcome: 'complete', outputIs: 'folded-stream', redactedBy: 'cards-1' });
    expect(call?.snapshot).toMatchObject({
      inputHash: hashOf(masked({ ...params, stream: true })),
      outputHash: hashOf(masked(outputs[0])),
    });
  });

  it('of a tool', async () => {
    program = await ObservedProgram.start(json, { redaction: cards });
    expect(program.cer.tool('pay', (card: string) => ({ card }))(CARD)).toEqual({ card: CARD });
    expect(program.calls()[0]?.snapshot).toMatchObject({
      inputHash: hashOf(['[card]']),
      outputHash: hashOf({ card: '[card]' }),
    });
  });

  it('under 1.3.1 and 1.2.0', async () => {
    const parts: string[] = [];
    const redaction: Redaction = {
      name: 'cards-1',
      redact: (value, part) => {
        parts.push(part);
        return masked(value);
      },
    };
    const confidential = { prompt: 'p', onOpenings: () => undefined, parameters: { temperature: 0, maxTokens: 9 } };
    for (const options of [{ confidential }, { protocol: '1.2.0' as const }]) {
      const client = await openai(json, { redaction, ...options });
      await client.chat.completions.create(params);
      expect(program.calls()[0]?.payload).toMatchObject({ redactedBy: 'cards-1', redacted: ['input', 'output'] });
      if (parts.length === 2) await program.end();
    }
    expect(parts).toEqual(['input', 'output', 'input', 'output']);
  });

  it('but not an answer of which only the bytes are hashed', async () => {
    const client = await openai(json, { redaction: cards, maxContentBytes: 10 });
    await client.chat.completions.create(params);
    const [call] = program.calls();
    expect(call?.payload).toMatchObject({ outputIs: 'bytes', redactedBy: 'cards-1', redacted: ['input'] });
    expect(call?.snapshot['outputHash']).toBe(call?.payload['responseSha256']);
  });

  it('and a body that is no JSON is masked as text', async () => {
    program = await ObservedProgram.start(json, { redaction: { name: 'all', redact: () => '[REDACTED]' } });
    const url = `${program.server.url}/v1/chat/completions`;
    await (await program.cer.fetch()(url, { method: 'POST', body: `{"model":"example-1", ${CARD}` })).text();
    expect(program.calls()[0]?.snapshot).toMatchObject({
      inputHash: hashOf('[REDACTED]'),
      outputHash: hashOf('[REDACTED]'),
    });
  });
});

describe('without a masked value there is no certificate', () => {
  it.each<[string, () => unknown]>([
    [
      'when it throws',
      () => {
        throw new Error('no rules');
      },
    ],
    ['of nothing', () => undefined],
    ['of null', () => null],
    ['of a promise', async () => 'masked'],
    [
      'of a promise that fails',
      async () => {
        throw new Error('no rules');
      },
    ],
    ['of a Map', () => new Map([['card', CARD]])],
    ['of a function', () => () => 'masked'],
  ])('%s', async (_, redact) => {
    const client = await openai(json, { redaction: { name: 'broken', redact: redact as Redaction['redact'] } });
    const { choices } = await client.chat.completions.create(params);
    expect(choices[0]?.message.content).toContain(CARD);
    expect(program.cer.stats()).toMatchObject({ seen: 1, sealed: 0, unsealed: 1, open: 0 });
    expect(program.observerFaults()).toHaveLength(1);
    expect(program.stored()).not.toContain('snapshot');
  });

  it.each(['', 'n'.repeat(257)])('a redaction needs a name', async (name) => {
    program = await ObservedProgram.start(json);
    const options = { appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: null };
    expect(() => certificates({ ...options, redaction: { ...cards, name } })).toThrow(/^redaction\.name: must have/);
  });

  it.each([{ redact: masked }, { name: 1, redact: masked }, { name: '\ud800', redact: masked }, { name: 'cards-1' }])(
    'is refused where a certificate would not name it, or nothing is masked: %j',
    async (redaction) => {
      program = await ObservedProgram.start(json);
      const options = { appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: null };
      expect(() => certificates({ ...options, redaction: redaction as Redaction })).toThrow(
        /^redaction\.(name|redact): must/,
      );
    },
  );
});
