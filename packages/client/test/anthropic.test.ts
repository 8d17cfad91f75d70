import type { ServerResponse } from 'node:http';

import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from '@jest/globals';

import { MESSAGE, messageEvents, sendJson, startStream, type ModelHandler } from './model-server.js';
import { hashOf, ObservedProgram, readAll } from './observed-program.js';

const SECRET = 'the secret of the caller';
const params = {
  model: 'example-1',
  max_tokens: 64,
  temperature: 0.5,
  messages: [{ role: 'user' as const, content: SECRET }],
};

let program: ObservedProgram;
afterEach(async () => program.end());

async function clients(handler: ModelHandler): Promise<[plain: Anthropic, observed: Anthropic]> {
  program = await ObservedProgram.start(handler);
  const plain = new Anthropic({ apiKey: 'provider-key', baseURL: program.server.url, maxRetries: 0 });
  return [plain, program.cer.anthropic(plain)];
}

const json: ModelHandler = (_, response) => {
  sendJson(response, MESSAGE);
};
const stream: ModelHandler = (_, response) => {
  startStream(response);
  for (const event of messageEvents('Hel', 'lo ', 'there')) response.write(event);
  response.end();
};
const refusal: ModelHandler = (_, response) => {
  sendJson(response, { type: 'error', error: { type: 'overloaded_error', message: SECRET } }, 529);
};
const cutOff: ModelHandler = (_, response) => {
  startStream(response);
  for (const event of messageEvents('Hel', 'lo').slice(0, 4)) response.write(event);
  setImmediate(() => response.destroy());
};

const event = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const blockOf = (index: number, block: object, ...deltas: readonly object[]): string[] => [
  event('content_block_start', { index, content_block: block }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
];
const citation = (text: string, index: number): object => ({
  type: 'citations_delta',
  citation: { type: 'char_location', cited_text: text, document_index: 0, index, start_char_index: index },
});
const KINDS_OF_DELTAS: readonly string[] = [
  event('message_start', { message: { ...MESSAGE, content: [], container: { id: 'container_1' } } }),
  ...blockOf(
    0,
    { type: 'text', text: '', citations: [] },
    citation('a', 0),
    { type: 'text_delta', text: 'Hi' },
    citation('b', 0),
  ),
  ...blockOf(
    1,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'so' },
    { type: 'signature_delta', signature: 'first' },
    { type: 'signature_delta', signature: 'second' },
  ),
  ...blockOf(2, { type: 'compaction', content: 'old' }, { type: 'compaction_delta', content: 'new' }),
  ...blockOf(3, { type: 'fallback', from: { model: 'example-1' }, to: { model: 'example-2' } }),
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
    usage: { output_tokens: 5, input_tokens: null, iterations: [{ type: 'message', output_tokens: 5 }] },
    context_management: { applied_edits: [] },
  }),
  event('message_stop', {}),
];

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return [error.constructor.name, error.message, Reflect.get(error, 'status'), Reflect.get(error, 'requestID')];
}

describe('answers of the Anthropic SDK', () => {
  it.each<[string, ModelHandler, (client: Anthropic) => Promise<unknown>]>([
    ['create', json, async (client) => client.messages.create(params)],
    ['request id', json, async (client) => (await client.messages.create(params))._request_id],
    [
      'withResponse',
      json,
      async (client) => {
        const { data, response } = await client.messages.create(params).withResponse();
        return [data, response.status, response.type, response.redirected, response.url === ''];
      },
    ],
    ['asResponse', json, async (client) => (await client.messages.create(params).asResponse()).text()],
    ['a stream', stream, async (client) => readAll(await client.messages.create({ ...params, stream: true }))],
    ['the stream helper', stream, async (client) => client.messages.stream(params).finalMessage()],
    [
      'tee of a stream',
      stream,
      async (client) => {
        const halves = (await client.messages.create({ ...params, stream: true })).tee();
        return [await readAll(halves[0]), await readAll(halves[1])];
      },
    ],
    [
      'toReadableStream',
      stream,
      async (client) =>
        new Response((await client.messages.create({ ...params, stream: true })).toReadableStream()).text(),
    ],
    ['a refusal', refusal, async (client) => client.messages.create(params).catch(describeError)],
    [
      'a stream cut off',
      cutOff,
      async (client) =>
        readAll(await client.messages.create({ ...params, stream: true })).catch((error: unknown) =>
          describeError(error),
        ),
    ],
    [
      'classes',
      json,
      async (client) => {
        const promise = client.messages.create(params);
        await promise;
        return [client instanceof Anthropic, promise.constructor.name, client.baseURL, client.apiKey];
      },
    ],
  ])('are the same: %s', async (_, handler, work) => {
    const [plain, observed] = await clients(handler);
    const numbered = (value: unknown): string => JSON.stringify(value).replaceAll(/req-\d+/g, 'req-N');
    const expected = numbered(await work(plain));
    expect(numbered(await work(observed))).toBe(expected);
    expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, sealed: 1 });
    expect(program.observerFaults()).toEqual([]);
  });
});

describe('certificates of Anthropic calls', () => {
  it('bind the request and the answer, and hold neither', async () => {
    const [, observed] = await clients(json);
    await observed.messages.create(params);
    const [call] = program.calls();
    expect(call?.snapshot).toMatchObject({
      provider: 'anthropic',
      model: 'example-1',
      parameters: { temperature: 0.5, maxTokens: 64 },
      inputHash: hashOf(params),
      outputHash: hashOf(MESSAGE),
    });
    expect(call?.payload).toMatchObject({ outcome: 'complete', providerId: 'msg_1' });
    expect(program.stored()).not.toMatch(/the secret of the caller|Hello|provider-key/);
  });

  it('fold a stream into the unstreamed message', async () => {
    const [, observed] = await clients(stream);
    await observed.messages.stream(params).finalMessage();
    const [call] = program.calls();
    expect(call?.snapshot).toMatchObject({ outputHash: hashOf(MESSAGE) });
    expect(call?.payload).toMatchObject({ outcome: 'complete', streamed: true });
  });

  it('fold the input of a tool as its text', async () => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} };
    const event = (members: { readonly type: string }): string =>
      `event: ${members.type}\ndata: ${JSON.stringify(members)}\n\n`;
    const [, observed] = await clients((_, response) => {
      startStream(response);
      const [start = ''] = messageEvents();
      response.write(start);
      response.write(event({ type: 'content_block_start', ...{ index: 0, content_block: block } }));
      for (const partial_json of ['{"city"', ':"Lisbon"}']) {
        const delta = { type: 'input_json_delta', partial_json };
        response.write(event({ type: 'content_block_delta', ...{ index: 0, delta } }));
      }
      for (const end of messageEvents().slice(2)) response.write(end);
      response.end();
    });
    const message = await observed.messages.stream(params).finalMessage();
    expect(message.content).toMatchObject([{ type: 'tool_use', input: { city: 'Lisbon' } }]);
    const [call] = program.calls();
    const content = [{ ...block, input: { city: 'Lisbon' } }];
    expect(call?.snapshot).toMatchObject({ outputHash: hashOf({ ...MESSAGE, content }) });
  });

  it('fold every kind of delta as the SDK does', async () => {
    const [, observed] = await clients((_, response) => {
      startStream(response);
      for (const event of KINDS_OF_DELTAS) response.write(event);
      response.end();
    });
    const message = await observed.beta.messages.stream(params).finalMessage();
    // The SDK adds what it parsed the text into.
    const sent: unknown = JSON.parse(JSON.stringify({ ...message, parsed_output: undefined }));
    expect(message.content).toMatchObject([{ citations: [{ cited_text: 'a' }, { cited_text: 'b' }] }, {}, {}, {}]);
    expect(program.calls()[0]?.snapshot).toMatchObject({ outputHash: hashOf(sent) });
  });

  it.each<[string, ModelHandler]>([
    ['failed', refusal],
    ['truncated', cutOff],
  ])('state the outcome %s', async (outcome, handler) => {
    const [, observed] = await clients(handler);
    await observed.messages
      .stream(params)
      .finalMessage()
      .catch(() => undefined);
    expect(program.calls().map(({ payload }) => payload)).toMatchObject([{ outcome }]);
    expect(program.stored()).not.toContain(SECRET);
  });

  it('state that the caller aborted', async () => {
    const [, observed] = await clients((_, response) => {
      startStream(response);
      for (const event of messageEvents('Hel', 'lo').slice(0, 3)) response.write(event);
    });
    const made = observed.messages.stream(params);
    made.on('text', () => {
      made.abort();
    });
    await made.done().catch(() => undefined);
    expect(program.calls().map(({ payload }) => payload)).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('join the attempts of one call', async () => {
    let requests = 0;
    const [, observed] = await clients((body, response: ServerResponse) => {
      requests += 1;
      if (requests < 3) sendJson(response, { type: 'error', error: { type: 'api_error', message: body } }, 500);
      else sendJson(response, MESSAGE);
    });
    await observed.withOptions({ maxRetries: 2 }).messages.create(params);
    const calls = program.calls();
    const [first] = calls;
    const callId = first?.snapshot['executionId'];
    expect(calls.map(({ payload }) => payload)).toMatchObject([
      { outcome: 'failed', attempt: 1, callId },
      { outcome: 'failed', attempt: 2, callId },
      { outcome: 'complete', attempt: 3, callId },
    ]);
  });

  it('join the attempts of a call whose answer does not come', async () => {
    const [, observed] = await clients(() => undefined);
    await expect(observed.withOptions({ maxRetries: 1, timeout: 20 }).messages.create(params)).rejects.toThrow();
    const calls = program.calls();
    const callId = calls[0]?.snapshot['executionId'];
    expect(calls.map(({ payload }) => payload)).toMatchObject([
      { outcome: 'aborted', attempt: 1, callId },
      { outcome: 'aborted', attempt: 2, callId },
    ]);
  });

  it('are one for a call with two observers', async () => {
    const [, observed] = await clients(json);
    await program.cer.anthropic(observed).messages.create(params);
    expect(program.cer.stats()).toMatchObject({ seen: 1, sealed: 1 });
  });
});
