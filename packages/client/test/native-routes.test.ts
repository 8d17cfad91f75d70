import { GoogleGenAI } from '@google/genai';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Ollama } from 'ollama';

import { sendJson, startStream, type ModelHandler } from './model-server.js';
import { collected, hashOf, ObservedProgram, readAll } from './observed-program.js';

// The routes of providers that are not compatible with OpenAI's.

const PROMPT = 'the secret of the caller';
let program: ObservedProgram;
afterEach(async () => program.end());

/** Without what differs between two equal answers. */
const numbered = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/req-\d+/g, 'req-N')
    .replaceAll(/"date":"[^"]*"/g, '"date":""');
const event = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
const line = (data: object): string => `${JSON.stringify(data)}\n`;
const streamed =
  (contentType: string, ...parts: readonly string[]): ModelHandler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': contentType });
    for (const part of parts) response.write(part);
    response.end();
  };
/** Sends the parts, and closes the connection. */
const broken =
  (contentType: string, ...parts: readonly string[]): ModelHandler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.write(parts.join(''));
    setImmediate(() => response.destroy());
  };

describe('Gemini', () => {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 };
  const head = { modelVersion: 'gemini-2.5-flash', responseId: 'answer-1' };
  const candidate = (...parts: readonly object[]): object => ({ content: { parts, role: 'model' }, index: 0 });
  const chunk = (found: object, more: object = {}): string => event({ candidates: [found], ...head, ...more });
  const ANSWER = {
    candidates: [{ ...candidate({ text: 'Hello there' }), finishReason: 'STOP' }],
    ...head,
    usageMetadata,
  };
  const CHUNKS = [
    chunk(candidate({ text: 'Hel' })),
    chunk(candidate({ text: 'lo ' })),
    chunk({ ...candidate({ text: 'there' }), finishReason: 'STOP' }, { usageMetadata }),
  ];
  const PRETTY_ERROR = JSON.stringify({ error: { code: 503, message: 'later', status: 'UNAVAILABLE' } }, null, 2)
    .split('\n')
    .map((part) => `${part}\n`);
  const request = {
    model: 'gemini-2.5-flash',
    contents: PROMPT,
    config: { temperature: 0.5, maxOutputTokens: 64, topP: 0.9, seed: 7 },
  };

  async function clients(handler: ModelHandler): Promise<[plain: GoogleGenAI, observed: GoogleGenAI]> {
    program = await ObservedProgram.start(handler);
    const httpOptions = { baseUrl: program.server.url };
    const observing = { ...httpOptions, fetch: program.cer.fetch() };
    return [
      new GoogleGenAI({ apiKey: 'provider-key', httpOptions }),
      new GoogleGenAI({ apiKey: 'provider-key', httpOptions: observing }),
    ];
  }

  it.each<[string, ModelHandler, (ai: GoogleGenAI) => Promise<unknown>]>([
    [
      'an answer',
      (_, response) => {
        sendJson(response, ANSWER);
      },
      async (ai) => ai.models.generateContent(request),
    ],
    [
      'a stream',
      streamed('text/event-stream', ...CHUNKS),
      async (ai) => readAll(await ai.models.generateContentStream(request)),
    ],
    [
      'a chat',
      streamed('text/event-stream', ...CHUNKS),
      async (ai) => {
        const chat = ai.chats.create(request);
        return [await readAll(await chat.sendMessageStream({ message: PROMPT })), chat.getHistory()];
      },
    ],
  ])('gives the same and is certified: %s', async (_, handler, work) => {
    const [plain, observed] = await clients(handler);
    expect(numbered(await work(observed))).toBe(numbered(await work(plain)));
    expect(program.calls()).toMatchObject([
      {
        snapshot: {
          model: 'gemini-2.5-flash',
          parameters: { temperature: 0.5, maxTokens: 64, topP: 0.9, seed: 7 },
          outputHash: hashOf(ANSWER),
        },
        payload: { outcome: 'complete', providerId: 'answer-1' },
      },
    ]);
    expect(program.stored()).not.toContain(PROMPT);
    expect(program.observerFaults()).toEqual([]);
  });

  it('keeps thoughts, signed parts, calls of functions and citations apart', async () => {
    const cited = (uri: string): object => ({ citationMetadata: { citationSources: [{ uri }] } });
    const call = { functionCall: { name: 'look_up', args: { city: 'Lisbon' } }, thoughtSignature: 'c2ln' };
    const [, ai] = await clients(
      streamed(
        'text/event-stream',
        chunk(candidate({ text: 'Hm', thought: true })),
        chunk(candidate({ text: 'm', thought: true }, { text: 'Lis' })),
        chunk({ ...candidate({ text: 'bon' }), ...cited('a') }),
        chunk({ ...candidate({ text: '', thoughtSignature: 'c2ln' }), ...cited('b') }),
        chunk({ ...candidate(call), finishReason: 'STOP' }),
      ),
    );
    await readAll(await ai.models.generateContentStream(request));
    const parts = [{ text: 'Hmm', thought: true }, { text: 'Lisbon' }, { text: '', thoughtSignature: 'c2ln' }, call];
    const citations = { citationMetadata: { citationSources: [{ uri: 'a' }, { uri: 'b' }] } };
    const whole = { candidates: [{ ...candidate(...parts), ...citations, finishReason: 'STOP' }], ...head };
    expect(program.calls()).toMatchObject([{ snapshot: { outputHash: hashOf(whole) } }]);
  });

  it.each<[string, ModelHandler, object]>([
    [
      'a stream without its last event',
      streamed('text/event-stream', ...CHUNKS.slice(0, 2)),
      { outcome: 'truncated', streamed: true },
    ],
    ['a stream that breaks off', broken('text/event-stream', ...CHUNKS.slice(0, 2)), { outcome: 'truncated' }],
    [
      'a prompt that is refused',
      streamed('text/event-stream', event({ promptFeedback: { blockReason: 'SAFETY' }, ...head })),
      { outcome: 'complete' },
    ],
    [
      'an error within the stream',
      streamed('text/event-stream', ...CHUNKS.slice(0, 1), event({ error: { code: 503, status: 'UNAVAILABLE' } })),
      { outcome: 'failed', errorCode: 'UNAVAILABLE' },
    ],
    [
      'an error between its events, of several lines',
      streamed('text/event-stream', ...CHUNKS.slice(0, 1), ...PRETTY_ERROR),
      { outcome: 'failed', errorCode: 'UNAVAILABLE', streamed: true },
    ],
    [
      'an error between its events without the end of its line',
      streamed('text/event-stream', CHUNKS[0] ?? '', JSON.stringify({ error: { status: 'UNAVAILABLE' } })),
      { outcome: 'failed', errorCode: 'UNAVAILABLE', streamed: true },
    ],
    [
      'an object between its events that is no error',
      streamed('text/event-stream', ...CHUNKS.slice(0, 2), '{\n"candidates": []\n}\n', ...CHUNKS.slice(2)),
      { outcome: 'complete', streamed: true },
    ],
    [
      'a refusal',
      (_, response) => {
        sendJson(response, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 400);
      },
      { outcome: 'failed', httpStatus: 400, errorCode: 'INVALID_ARGUMENT' },
    ],
  ])('certifies %s', async (_, handler, payload) => {
    const [, ai] = await clients(handler);
    await ai.models.generateContentStream(request).then(readAll, String).catch(String);
    expect(program.calls()).toMatchObject([{ payload }]);
  });

  it('certifies what the caller received of a stream that it stopped reading', async () => {
    const [, ai] = await clients(streamed('text/event-stream', ...CHUNKS));
    // The SDK lets go of the body, and does not cancel it.
    const stop = async (): Promise<void> => {
      for await (const { text } of await ai.models.generateContentStream(request)) if (text === 'Hel') break;
    };
    await stop();
    await collected(() => program.cer.stats().open === 0);
    expect(program.calls()).toMatchObject([{ payload: { outcome: 'aborted', streamed: true } }]);
  });

  it('certifies embeddings', async () => {
    const answer = { embeddings: [{ values: [0.25, 0.5] }] };
    const [, ai] = await clients((_, response) => {
      sendJson(response, answer);
    });
    await ai.models.embedContent({ model: 'gemini-embedding-001', contents: PROMPT });
    expect(program.calls()).toMatchObject([
      { snapshot: { model: 'gemini-embedding-001', outputHash: hashOf(answer) }, payload: { outcome: 'complete' } },
    ]);
  });

  it('is the request of the framework that reports the call', async () => {
    const [, ai] = await clients((_, response) => {
      sendJson(response, ANSWER);
    });
    const handler = program.cer.langchain();
    const run = { kwargs: { model: request.model }, lc: 1, type: 'constructor' as const, id: ['ChatGoogle'] };
    handler.handleLLMStart(run, [PROMPT], 'run-1', undefined, { invocation_params: { model: request.model } });
    await ai.models.generateContent(request);
    handler.handleLLMEnd({ generations: [[{ text: 'Hello there' }]] }, 'run-1');
    expect(program.calls()).toMatchObject([{ payload: { outputIs: 'body' } }]);
  });
});

describe('Ollama', () => {
  const head = { model: 'llama3.2', created_at: '2026-11-27T00:00:00Z' };
  const end = { done: true, done_reason: 'stop', total_duration: 12, eval_count: 2 };
  const message = { role: 'assistant', content: 'Hello there' };
  const part = (content: string, more: object = {}): string =>
    line({ ...head, message: { role: 'assistant', content, ...more }, done: false });
  const LINES = [
    part('Hel'),
    part('lo '),
    part('there'),
    line({ ...head, message: { ...message, content: '' }, ...end }),
  ];
  const request = {
    model: 'llama3.2',
    messages: [{ role: 'user', content: PROMPT }],
    options: { temperature: 0.5, num_predict: 64, top_p: 0.9, seed: 7 },
  };

  async function clients(handler: ModelHandler): Promise<[plain: Ollama, observed: Ollama]> {
    program = await ObservedProgram.start(handler);
    const host = program.server.url;
    return [new Ollama({ host }), new Ollama({ host, fetch: program.cer.fetch({ provider: 'ollama' }) })];
  }

  it.each<[string, ModelHandler, (ollama: Ollama) => Promise<unknown>, object]>([
    [
      'an answer',
      (_, response) => {
        sendJson(response, { ...head, message, ...end });
      },
      async (ollama) => ollama.chat(request),
      { ...head, message, ...end },
    ],
    [
      'a stream',
      streamed('application/x-ndjson', ...LINES),
      async (ollama) => readAll(await ollama.chat({ ...request, stream: true })),
      { ...head, message, ...end },
    ],
    [
      'a stream with thoughts and calls of functions, whose last line has no end',
      streamed(
        'application/x-ndjson; charset=utf-8',
        part('', { thinking: 'Hm' }),
        part('', { thinking: 'm' }),
        part('', { tool_calls: [{ function: { name: 'a', arguments: { city: 'Lisbon' } } }] }),
        part('', { tool_calls: [{ function: { name: 'b', arguments: {} } }] }),
        line({ ...head, message: { role: 'assistant', content: '' }, ...end }).trimEnd(),
      ),
      async (ollama) => readAll(await ollama.chat({ ...request, stream: true })),
      {
        ...head,
        message: {
          ...{ role: 'assistant', content: '', thinking: 'Hmm' },
          tool_calls: [
            { function: { name: 'a', arguments: { city: 'Lisbon' } } },
            { function: { name: 'b', arguments: {} } },
          ],
        },
        ...end,
      },
    ],
    [
      'a generated text',
      streamed(
        'application/x-ndjson',
        line({ ...head, response: 'Hel', done: false }),
        line({ ...head, response: 'lo', done: false }),
        line({ ...head, response: '', ...end, context: [1, 2] }),
      ),
      async (ollama) =>
        readAll(
          await ollama.generate({ ...{ model: 'llama3.2', prompt: PROMPT, stream: true }, options: request.options }),
        ),
      { ...head, response: 'Hello', ...end, context: [1, 2] },
    ],
  ])('gives the same and is certified: %s', async (_, handler, work, answer) => {
    const [plain, observed] = await clients(handler);
    expect(JSON.stringify(await work(observed))).toBe(JSON.stringify(await work(plain)));
    expect(program.calls()).toMatchObject([
      {
        snapshot: {
          provider: 'ollama',
          model: 'llama3.2',
          parameters: { temperature: 0.5, maxTokens: 64, topP: 0.9, seed: 7 },
          outputHash: hashOf(answer),
        },
        payload: { outcome: 'complete' },
      },
    ]);
    expect(program.stored()).not.toContain(PROMPT);
    expect(program.observerFaults()).toEqual([]);
  });

  it.each<[string, ModelHandler, object]>([
    [
      'a stream without its last line',
      streamed('application/x-ndjson', ...LINES.slice(0, 2)),
      { outcome: 'truncated' },
    ],
    ['a stream that breaks off', broken('application/x-ndjson', ...LINES.slice(0, 2)), { outcome: 'truncated' }],
    [
      'an error within the stream',
      streamed('application/x-ndjson', ...LINES.slice(0, 2), line({ error: 'out of memory' })),
      { outcome: 'failed' },
    ],
  ])('certifies %s', async (_, handler, payload) => {
    const [, observed] = await clients(handler);
    await observed
      .chat({ ...request, stream: true })
      .then(readAll)
      .catch(String);
    expect(program.calls()).toMatchObject([{ payload: { ...payload, streamed: true } }]);
  });

  it('leaves the same paths of other services alone', async () => {
    program = await ObservedProgram.start((_, response) => {
      sendJson(response, {});
    });
    const fetch = program.cer.fetch();
    for (const path of ['/api/chat', '/api/generate', '/v2/chat']) {
      await fetch(`${program.server.url}${path}`, { method: 'POST', body: '{"messages":[]}' });
      await fetch(`${program.server.url}${path}`, { method: 'POST', body: new FormData() });
    }
    expect(program.cer.stats().seen).toBe(0);
  });

  it('leaves the chat of a program alone, which streams as no Ollama does', async () => {
    program = await ObservedProgram.start(streamed('text/event-stream', event({ type: 'text-delta', delta: 'Hello' })));
    const init = { method: 'POST', body: '{"model":"llama3.2","messages":[]}' };
    const answer = await program.cer.fetch()(`${program.server.url}/api/chat`, init);
    expect(await answer.text()).toBe(event({ type: 'text-delta', delta: 'Hello' }));
    expect(program.cer.stats()).toMatchObject({ seen: 0, open: 0, unsealed: 0 });
    expect(program.calls()).toEqual([]);
  });

  it('takes the body of a Request', async () => {
    const whole = { ...head, message, ...end };
    program = await ObservedProgram.start((_, response) => {
      sendJson(response, whole);
    });
    const init = { method: 'POST', body: JSON.stringify(request) };
    const answer = await program.cer.fetch()(new Request(`${program.server.url}/api/chat`, init));
    expect(await answer.json()).toEqual(whole);
    expect(program.calls()).toMatchObject([{ snapshot: { model: 'llama3.2', outputHash: hashOf(whole) } }]);
  });
});

describe('Cohere', () => {
  const usage = { tokens: { input_tokens: 1, output_tokens: 2 } };
  const body = JSON.stringify({
    ...{ model: 'command-a-03-2025', messages: [{ role: 'user', content: PROMPT }], stream: true },
    ...{ temperature: 0.5, max_tokens: 64, p: 0.9, seed: 7 },
  });
  const of = (type: string, index: number, message: object): string => event({ type, index, delta: { message } });
  const EVENTS = [
    event({
      type: 'message-start',
      id: 'answer-1',
      delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
    }),
    event({ type: 'tool-plan-delta', delta: { message: { tool_plan: 'I ' } } }),
    event({ type: 'tool-plan-delta', delta: { message: { tool_plan: 'look' } } }),
    of('tool-call-start', 0, {
      tool_calls: { id: 'look_1', type: 'function', function: { name: 'look_up', arguments: '' } },
    }),
    of('tool-call-delta', 0, { tool_calls: { function: { arguments: '{"city":' } } }),
    of('tool-call-delta', 0, { tool_calls: { function: { arguments: '"Lisbon"}' } } }),
    event({ type: 'tool-call-end', index: 0 }),
    of('content-start', 0, { content: { type: 'thinking', thinking: '' } }),
    of('content-delta', 0, { content: { thinking: 'Hm' } }),
    of('content-start', 1, { content: { type: 'text', text: '' } }),
    of('content-delta', 1, { content: { text: 'Hel' } }),
    of('content-delta', 1, { content: { text: 'lo' } }),
    of('citation-start', 0, { citations: { start: 0, end: 2, text: 'He', sources: [{ type: 'tool', id: 'a' }] } }),
    event({ type: 'citation-end', index: 0 }),
  ];
  const END = event({ type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } });
  const ANSWER = {
    id: 'answer-1',
    finish_reason: 'COMPLETE',
    message: {
      role: 'assistant',
      tool_plan: 'I look',
      tool_calls: [{ id: 'look_1', type: 'function', function: { name: 'look_up', arguments: '{"city":"Lisbon"}' } }],
      content: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'Hello' },
      ],
      citations: [{ start: 0, end: 2, text: 'He', sources: [{ type: 'tool', id: 'a' }] }],
    },
    usage,
  };

  async function call(handler: ModelHandler): Promise<string> {
    program = await ObservedProgram.start(handler);
    const answer = await program.cer.fetch()(`${program.server.url}/v2/chat`, { method: 'POST', body });
    return answer.text();
  }

  it('is certified', async () => {
    expect(await call(streamed('text/event-stream', ...EVENTS, END))).toBe([...EVENTS, END].join(''));
    expect(program.calls()).toMatchObject([
      {
        snapshot: {
          model: 'command-a-03-2025',
          parameters: { temperature: 0.5, maxTokens: 64, topP: 0.9, seed: 7 },
          outputHash: hashOf(ANSWER),
        },
        payload: { outcome: 'complete', providerId: 'answer-1' },
      },
    ]);
  });

  it.each<[string, ModelHandler, object]>([
    ['a stream without its last event', streamed('text/event-stream', ...EVENTS), { outcome: 'truncated' }],
    [
      'an error at its end',
      streamed('text/event-stream', event({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'no' } })),
      { outcome: 'failed' },
    ],
  ])('certifies %s', async (_, handler, payload) => {
    await call(handler);
    expect(program.calls()).toMatchObject([{ payload }]);
  });

  it('keeps the probabilities of tokens', async () => {
    const logprobs = { token_ids: [1], text: 'Hel', logprobs: [-0.5] };
    await call((_, response) => {
      startStream(response);
      const delta = { message: { content: { text: 'Hel' } } };
      response.end(event({ type: 'content-delta', index: 0, delta, logprobs }) + END);
    });
    const whole = { message: { content: [{ text: 'Hel' }] }, finish_reason: 'COMPLETE', usage, logprobs: [logprobs] };
    expect(program.calls()).toMatchObject([{ snapshot: { outputHash: hashOf(whole) } }]);
  });
});
