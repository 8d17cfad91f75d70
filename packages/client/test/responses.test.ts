import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';

import { sendJson, startStream, type ModelHandler } from './model-server.js';
import { hashOf, ObservedProgram, readAll } from './observed-program.js';

const params = { model: 'example-1', input: 'the secret of the caller', max_output_tokens: 64 };

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'example-1',
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello there', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
};

const event = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const delta = (text: string): string =>
  event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text });
const created = event('response.created', { response: { ...RESPONSE, status: 'in_progress', output: [] } });
const streamed = [
  created,
  event('response.output_item.added', { output_index: 0, item: { ...RESPONSE.output[0], content: [] } }),
  event('response.content_part.added', {
    ...{ item_id: 'msg_1', output_index: 0, content_index: 0 },
    part: { type: 'output_text', text: '', annotations: [] },
  }),
  delta('Hello '),
  delta('there'),
];

let program: ObservedProgram;
afterEach(async () => program.end());

async function clients(handler: ModelHandler): Promise<[plain: OpenAI, observed: OpenAI]> {
  program = await ObservedProgram.start(handler);
  const plain = new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 });
  return [plain, program.cer.openai(plain)];
}

const json: ModelHandler = (_, response) => {
  sendJson(response, RESPONSE);
};
const stream: ModelHandler = (_, response) => {
  startStream(response);
  response.end([...streamed, event('response.completed', { response: RESPONSE })].join(''));
};

describe('the Responses API', () => {
  it.each<[string, ModelHandler, (client: OpenAI) => Promise<unknown>]>([
    ['create', json, async (client) => client.responses.create(params)],
    ['a stream', stream, async (client) => readAll(await client.responses.create({ ...params, stream: true }))],
    ['the stream helper', stream, async (client) => client.responses.stream(params).finalResponse()],
  ])('gives the same answers: %s', async (_, handler, work) => {
    const [plain, observed] = await clients(handler);
    const numbered = (value: unknown): string => JSON.stringify(value).replaceAll(/req-\d+/g, 'req-N');
    expect(numbered(await work(observed))).toBe(numbered(await work(plain)));
    expect(program.calls().map(({ snapshot }) => snapshot)).toMatchObject([{ outputHash: hashOf(RESPONSE) }]);
    expect(program.calls()[0]?.payload).toMatchObject({ outcome: 'complete', providerId: 'resp_1' });
  });

  it('has the partial text of an interrupted stream', async () => {
    const [, observed] = await clients((_, response) => {
      startStream(response);
      response.write(created + delta('Hel') + delta('lo'));
      setImmediate(() => response.destroy());
    });
    await expect(readAll(await observed.responses.create({ ...params, stream: true }))).rejects.toThrow();
    const [call] = program.calls();
    expect(call?.payload).toMatchObject({ outcome: 'truncated' });
    const partial = { '["response.output_text.delta",0,0]': 'Hello' };
    const started = { ...RESPONSE, status: 'in_progress', output: [] };
    expect(call?.snapshot).toMatchObject({ outputHash: hashOf({ ...started, partial }) });
  });

  it('has a failed response certified as failed', async () => {
    const error = { code: 'server_error', message: 'the secret of the caller' };
    const [, observed] = await clients((_, response) => {
      startStream(response);
      response.end(created + event('response.failed', { response: { ...RESPONSE, status: 'failed', error } }));
    });
    await readAll(await observed.responses.create({ ...params, stream: true }));
    expect(program.calls()[0]?.payload).toMatchObject({ outcome: 'failed', errorCode: 'server_error' });
    expect(program.stored()).not.toContain('the secret');
  });
});
