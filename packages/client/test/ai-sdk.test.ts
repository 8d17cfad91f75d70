import { afterEach, describe, expect, it } from '@jest/globals';
import { createOpenAICompatible as provider1 } from '@ai-sdk/openai-compatible';
import * as ai5 from 'ai';
import * as ai6 from 'ai-6';
import { createOpenAICompatible as provider2 } from 'openai-compatible-2';

import { COMPLETION, events, sendJson, startStream, type ModelHandler } from './model-server.js';
import { ObservedProgram, readAll } from './observed-program.js';

const SECRET = 'the secret of the caller';

let program: ObservedProgram;
afterEach(async () => program.end());

const answers: ModelHandler = (body, response) => {
  const { model, stream } = JSON.parse(body) as { readonly model: string; readonly stream?: boolean };
  if (model === 'refused') {
    sendJson(response, { error: { message: SECRET, code: 'slow_down' } }, 400);
    return;
  }
  if (stream !== true) {
    sendJson(response, COMPLETION);
    return;
  }
  startStream(response);
  const sent = events('Hel', 'lo ', 'there');
  if (model === 'stalls') for (const event of sent.slice(0, 2)) response.write(event);
  else response.end(sent.join(''));
};

/** One version of the SDK, with a model that is wrapped, and one whose requests may be observed too. */
interface Version {
  readonly answer: (model: string) => Promise<unknown>;
  readonly stream: (model: string, signal?: AbortSignal) => AsyncIterable<unknown>;
}

it('makes the text of a request once, when the call ends', async () => {
  program = await ObservedProgram.start(answers);
  let texts = 0;
  const prompt = {
    toJSON: () => {
      texts += 1;
      return SECRET;
    },
  };
  await program.cer.aiSdkMiddleware().wrapGenerate({
    doGenerate: async () => {
      expect(texts).toBe(0);
      return Promise.resolve({ content: [] });
    },
    params: { prompt, temperature: 0.25, topP: Number.NaN },
    model: { provider: 'local', modelId: 'example-1' },
  });
  expect(texts).toBe(1);
  const parameters = { temperature: 0.25 };
  expect(program.calls().map(({ snapshot }) => snapshot)).toMatchObject([{ parameters }]);
});

const asked = { maxRetries: 0, temperature: 0.25, maxOutputTokens: 64, prompt: SECRET };

function version5(isFetchObserved: boolean): Version {
  const { cer, server } = program;
  const fetch = isFetchObserved ? cer.fetch() : undefined;
  const models = provider1({ name: 'local', baseURL: `${server.url}/v1`, apiKey: 'key', ...(fetch && { fetch }) });
  const model = (id: string) =>
    ai5.wrapLanguageModel({ model: models.chatModel(id), middleware: cer.aiSdkMiddleware() });
  return {
    answer: async (id) => (await ai5.generateText({ ...asked, model: model(id) })).text,
    stream: (id, abortSignal) =>
      ai5.streamText({ ...asked, model: model(id), ...(abortSignal && { abortSignal }), onError: () => undefined })
        .textStream,
  };
}

function version6(isFetchObserved: boolean): Version {
  const { cer, server } = program;
  const fetch = isFetchObserved ? cer.fetch() : undefined;
  const models = provider2({ name: 'local', baseURL: `${server.url}/v1`, apiKey: 'key', ...(fetch && { fetch }) });
  const model = (id: string) =>
    ai6.wrapLanguageModel({ model: models.chatModel(id), middleware: cer.aiSdkMiddleware() });
  return {
    answer: async (id) => (await ai6.generateText({ ...asked, model: model(id) })).text,
    stream: (id, abortSignal) =>
      ai6.streamText({ ...asked, model: model(id), ...(abortSignal && { abortSignal }), onError: () => undefined })
        .textStream,
  };
}

describe.each([
  ['5', version5],
  ['6', version6],
])('the AI SDK %s', (_, versionOf) => {
  it('gets its answers, and a certificate each', async () => {
    program = await ObservedProgram.start(answers);
    const sdk = versionOf(false);
    expect(await sdk.answer('example-1')).toBe('Hello there');
    expect((await readAll(sdk.stream('example-2'))).join('')).toBe('Hello there');
    await expect(sdk.answer('refused')).rejects.toThrow(SECRET);
    const calls = program.calls();
    expect(calls.map(({ snapshot, payload }) => [snapshot['model'], payload['outcome']])).toEqual([
      ['example-1', 'complete'],
      ['example-2', 'complete'],
      ['refused', 'failed'],
    ]);
    expect(calls[0]?.snapshot).toMatchObject({
      provider: 'local.chat',
      parameters: { temperature: 0.25, maxTokens: 64 },
    });
    expect(calls[2]?.payload).toMatchObject({ httpStatus: 400 });
    expect(program.stored()).not.toMatch(/the secret of the caller|Hello/);
    expect(program.observerFaults()).toEqual([]);
  });

  it('gives a stream and an answer one output hash', async () => {
    program = await ObservedProgram.start(answers);
    const sdk = versionOf(false);
    await sdk.answer('example-1');
    await readAll(sdk.stream('example-1'));
    expect(program.calls().map(({ payload }) => payload)).toMatchObject([{ outcome: 'complete' }, { streamed: true }]);
  });

  it('has an aborted stream certified', async () => {
    program = await ObservedProgram.start(answers);
    const aborter = new AbortController();
    const parts = versionOf(false).stream('stalls', aborter.signal)[Symbol.asyncIterator]();
    await parts.next();
    aborter.abort();
    while ((await parts.next()).done !== true);
    expect(program.calls().map(({ payload }) => payload)).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('certifies a call once whose fetch is observed too', async () => {
    program = await ObservedProgram.start(answers);
    const sdk = versionOf(true);
    await sdk.answer('example-1');
    await readAll(sdk.stream('example-1'));
    expect(program.cer.stats()).toMatchObject({ seen: 2, open: 0, sealed: 2 });
    expect(program.calls().map(({ payload }) => payload['outputIs'])).toEqual(['body', 'folded-stream']);
  });
});
