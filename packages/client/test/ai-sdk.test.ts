import { afterEach, describe, expect, it } from '@jest/globals';
import { createOpenAICompatible as provider1 } from '@ai-sdk/openai-compatible';
import * as ai5 from 'ai';
import * as ai6 from 'ai-6';
import { createOpenAICompatible as provider2 } from 'openai-compatible-2';

import { COMPLETION, events, sendJson, startStream, type ModelHandler } from './model-server.js';
import { hashOf, ObservedProgram, readAll } from './observed-program.js';

const SECRET = 'the secret of the caller';

let program: ObservedProgram;
afterEach(async () => program.end());

const answers: ModelHandler = (body, response) => {
  const { model, stream } = JSON.parse(body) as { readonly model: string; readonly stream?: boolean };
  if (model === 'refused') {
    sendJson(response, { error: { message: SECRET, code: 'slow_down' } }, 400);
    return;
  }
  if (model === 'mute') return;
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
  readonly answer: (model: string, signal?: AbortSignal) => Promise<unknown>;
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

it('has every kind of content in the output of a stream', async () => {
  program = await ObservedProgram.start(answers);
  const content = [
    { type: 'custom', kind: 'local.note' },
    { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    { type: 'reasoning-file', mediaType: 'image/png', data: 'AAAA' },
    { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
    { type: 'tool-approval-request', approvalId: 'approval-1', toolCallId: 'call-1' },
    { type: 'tool-call', toolCallId: 'call-1', toolName: 'look_up', input: '{}' },
    { type: 'tool-result', toolCallId: 'call-1', toolName: 'look_up', result: 'sunny' },
  ];
  const ending = { finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 2 } };
  const observer = program.cer.aiSdkMiddleware();
  const asking = { params: {}, model: { provider: 'local', modelId: 'example-1' } };
  await observer.wrapGenerate({ ...asking, doGenerate: async () => Promise.resolve({ content, ...ending }) });
  const stream = new ReadableStream({
    start: (controller) => {
      for (const part of [...content, { type: 'finish', ...ending }]) controller.enqueue(part);
      controller.close();
    },
  });
  await readAll((await observer.wrapStream({ ...asking, doStream: async () => Promise.resolve({ stream }) })).stream);
  const hash = hashOf({ content, ...ending });
  expect(program.calls().map(({ snapshot }) => snapshot['outputHash'])).toEqual([hash, hash]);
});

it('has calls that exceed the time limit of the program reported as aborted', async () => {
  program = await ObservedProgram.start(answers);
  const telemetry = program.cer.aiSdk();
  const error = new DOMException('the operation timed out', 'TimeoutError');
  const execute = async (): Promise<never> => Promise.reject(error);
  await expect(telemetry.executeLanguageModelCall({ callId: 'answers', execute })).rejects.toBe(error);
  telemetry.onEmbedStart({ callId: 'embeds', embedCallId: '1', values: [SECRET] });
  telemetry.onError({ callId: 'embeds', error });
  expect(program.calls().map(({ payload }) => payload['outcome'])).toEqual(['aborted', 'aborted']);
});

const asked = { maxRetries: 0, temperature: 0.25, maxOutputTokens: 64, prompt: SECRET };

function version5(isFetchObserved: boolean): Version {
  const { cer, server } = program;
  const fetch = isFetchObserved ? cer.fetch() : undefined;
  const models = provider1({ name: 'local', baseURL: `${server.url}/v1`, apiKey: 'key', ...(fetch && { fetch }) });
  const model = (id: string) =>
    ai5.wrapLanguageModel({ model: models.chatModel(id), middleware: cer.aiSdkMiddleware() });
  return {
    answer: async (id, abortSignal) =>
      (await ai5.generateText({ ...asked, model: model(id), ...(abortSignal && { abortSignal }) })).text,
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
    answer: async (id, abortSignal) =>
      (await ai6.generateText({ ...asked, model: model(id), ...(abortSignal && { abortSignal }) })).text,
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

  it.each([
    ['exceeds the time limit of the program', new DOMException('the operation timed out', 'TimeoutError')],
    ['the program aborts for a reason of its own', new Error('the user left')],
  ])('has a call certified as aborted that %s', async (__, reason) => {
    program = await ObservedProgram.start(answers);
    const aborter = new AbortController();
    const asking = versionOf(false).answer('mute', aborter.signal);
    while (program.server.requests() === 0) await new Promise((resolve) => setImmediate(resolve));
    aborter.abort(reason);
    await expect(asking).rejects.toThrow();
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
