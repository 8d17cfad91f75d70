import type { CallbackHandlerMethods } from '@langchain/core/callbacks/base';
import { AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ChatOpenAI } from '@langchain/openai';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { COMPLETION, events, sendJson, startStream, type ModelHandler } from './model-server.js';
import { ObservedProgram, readAll } from './observed-program.js';

const SECRET = 'the secret of the caller';

let program: ObservedProgram;
afterEach(async () => program.end());

const answers: ModelHandler = (body, response) => {
  const { model, stream } = JSON.parse(body) as { readonly model: string; readonly stream?: boolean };
  if (model === 'refused') sendJson(response, { error: { message: SECRET, code: 'slow_down' } }, 400);
  else if (stream === true) {
    startStream(response);
    response.end(events('Hel', 'lo ', 'there').join(''));
  } else sendJson(response, COMPLETION);
};

function handler(): CallbackHandlerMethods {
  return program.cer.langchain();
}

function chat(model: string, fetch?: typeof globalThis.fetch): ChatOpenAI {
  return new ChatOpenAI({
    model,
    temperature: 0.25,
    maxTokens: 64,
    apiKey: 'key',
    maxRetries: 0,
    callbacks: [handler()],
    configuration: { baseURL: `${program.server.url}/v1`, ...(fetch && { fetch }) },
  });
}

describe('LangChain', () => {
  it('gets its answers, and a certificate each', async () => {
    program = await ObservedProgram.start(answers);
    expect((await chat('example-1').invoke([new HumanMessage(SECRET)])).content).toBe('Hello there');
    const parts = await readAll(await chat('example-2').stream(SECRET));
    expect(parts.map((part) => (part instanceof AIMessageChunk ? part.text : '')).join('')).toBe('Hello there');
    await expect(chat('refused').invoke(SECRET)).rejects.toThrow();
    const calls = program.calls();
    expect(calls.map(({ snapshot, payload }) => [snapshot['model'], payload['outcome']])).toEqual([
      ['example-1', 'complete'],
      ['example-2', 'complete'],
      ['refused', 'failed'],
    ]);
    expect(calls[0]?.snapshot).toMatchObject({ provider: 'openai', parameters: { temperature: 0.25, maxTokens: 64 } });
    expect(program.stored()).not.toMatch(/the secret of the caller|Hello/);
    expect(program.observerFaults()).toEqual([]);
  });

  it('certifies a call once whose fetch is observed too', async () => {
    program = await ObservedProgram.start(answers);
    const { fetch } = { fetch: program.cer.fetch() };
    await Promise.all(['first', 'second', 'third'].map((text) => chat('example-1', fetch).invoke(text)));
    await readAll(await chat('example-1', fetch).stream(SECRET));
    expect(program.cer.stats()).toMatchObject({ seen: 4, open: 0, sealed: 4 });
    expect(new Set(program.calls().map(({ payload }) => payload['outputIs']))).toEqual(
      new Set(['body', 'folded-stream']),
    );
  });

  it('has models without requests certified', async () => {
    program = await ObservedProgram.start(answers);
    const model = new FakeListChatModel({ responses: ['Hello'] });
    await model.invoke(SECRET, { callbacks: [handler()] });
    expect(program.calls()).toHaveLength(1);
  });

  it('has an aborted call certified', async () => {
    program = await ObservedProgram.start(() => undefined);
    const aborter = new AbortController();
    const asking = chat('example-1').invoke(SECRET, { signal: aborter.signal });
    while (program.server.requests() === 0) await new Promise((resolve) => setImmediate(resolve));
    aborter.abort();
    await expect(asking).rejects.toThrow();
    while (program.cer.stats().open > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(program.calls().map(({ payload }) => payload)).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('has tools certified', async () => {
    program = await ObservedProgram.start(answers);
    const lookUp = tool(({ city }: { readonly city: string }) => `sunny in ${city}`, {
      name: 'look_up',
      description: 'the weather of a city',
      schema: z.object({ city: z.string() }),
    });
    await lookUp.invoke({ city: SECRET }, { callbacks: [handler()] });
    const [call] = program.calls();
    expect(call?.snapshot).toMatchObject({ provider: 'tool', model: 'look_up' });
    expect(program.stored()).not.toContain(SECRET);
  });
});
