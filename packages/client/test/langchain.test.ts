import type { CallbackHandlerMethods } from '@langchain/core/callbacks/base';
import { AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ChatOpenAI } from '@langchain/openai';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';

import { chunk, COMPLETION, events, sendJson, startStream, type ModelHandler } from './model-server.js';
import { hashOf, ObservedProgram, readAll } from './observed-program.js';

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

  it.each([
    ['the program aborts it', undefined],
    ['it exceeds the time limit of the program', new DOMException('the operation timed out', 'TimeoutError')],
    ['the program aborts it for a reason of its own', new Error('the user left')],
  ])('has a stream certified as aborted that waits when %s', async (_, reason) => {
    program = await ObservedProgram.start((__, response) => {
      startStream(response);
      for (const event of events('Hel', 'lo').slice(0, -2)) response.write(event);
    });
    const aborter = new AbortController();
    let text = '';
    const reading = (async () => {
      for await (const part of await chat('waits').stream(SECRET, { signal: aborter.signal })) text += part.text;
    })();
    while (text !== 'Hello') await new Promise((resolve) => setImmediate(resolve));
    aborter.abort(reason);
    await expect(reading).rejects.toThrow();
    while (program.cer.stats().open > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(program.calls().map(({ payload }) => payload)).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('has a stream that the program leaves certified when the client closes', async () => {
    program = await ObservedProgram.start((_, response) => {
      startStream(response);
      for (const event of events(...Array.from({ length: 20 }, (__, at) => `${at} `)).slice(0, -2))
        response.write(event);
    });
    let taken = 0;
    for await (const part of await chat('left').stream(SECRET)) {
      if (part.text !== '') taken += 1;
      if (taken === 3) break;
    }
    const aborter = new AbortController();
    const aborted = await chat('aborted').stream(SECRET, { signal: aborter.signal });
    const reading = (async () => {
      for await (const part of aborted) if (part.text === '2 ') aborter.abort();
    })();
    await expect(reading).rejects.toThrow();
    // The stream of Node.js 26 tells LangChain of the abort, those of earlier versions do not.
    const before = program.cer.stats();
    expect([0, 1]).toContain(before.sealed);
    expect(before).toMatchObject({ open: 2 - before.sealed, outcomes: { aborted: before.sealed } });
    await program.cer.flush();
    expect(program.cer.stats().open).toBe(before.open);
    await program.cer.close({ timeoutMs: 0 });
    expect(program.cer.stats()).toMatchObject({ open: 0, sealed: 2, outcomes: { aborted: 2 } });
    expect(program.observerFaults()).toEqual([]);
    // LangChain reports a part before or after the program has it.
    const outputs = Array.from({ length: 6 }, (_, count) => {
      const text = Array.from({ length: count }, (__, at) => `${at} `).join('');
      return hashOf([[{ text, message: { type: 'ai', content: text } }]]);
    });
    for (const { snapshot } of program.calls()) expect(outputs.slice(2)).toContain(snapshot['outputHash']);
  });

  it('has the calls of tools in a stream that is left certified', async () => {
    const calls = [
      { index: 0, id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":' } },
      { index: 0, function: { arguments: '"Lisbon"}' } },
      // LangChain reads ahead of the program.
      ...Array.from({ length: 4 }, () => ({ index: 0, function: { arguments: '' } })),
    ];
    program = await ObservedProgram.start((_, response) => {
      startStream(response);
      for (const call of calls) response.write(chunk({ role: 'assistant', tool_calls: [call] }));
    });
    let taken = 0;
    for await (const { tool_call_chunks: part } of await chat('left').stream(SECRET)) {
      taken += part?.length ?? 0;
      if (taken === 4) break;
    }
    await program.cer.close({ timeoutMs: 0 });
    const tool_calls = [{ name: 'weather', args: { city: 'Lisbon' }, id: 'call-1', type: 'tool_call' }];
    const output = [[{ text: '', message: { type: 'ai', content: '', tool_calls } }]];
    expect(program.calls().map(({ snapshot }) => snapshot['outputHash'])).toEqual([hashOf(output)]);
  });

  it('has a stream that fails certified by its parts', async () => {
    program = await ObservedProgram.start((_, response) => {
      startStream(response);
      const refusal = `data: ${JSON.stringify({ error: { message: SECRET, code: 'slow_down' } })}\n\n`;
      response.end([...events('Hel', 'lo').slice(0, 3), refusal].join(''));
    });
    await expect(readAll(await chat('failing').stream(SECRET))).rejects.toThrow(SECRET);
    const [call] = program.calls();
    expect(call?.payload).toMatchObject({ outcome: 'failed' });
    expect(call?.snapshot['outputHash']).toBe(hashOf([[{ text: 'Hello', message: { type: 'ai', content: 'Hello' } }]]));
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
