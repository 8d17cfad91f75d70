import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';
import { isJsonObject, parseJson, type JsonValue } from '@cer/canonical-json';
import { certificates } from '../src/index.js';
import { events, MESSAGE, messageEvents, startModelServer } from './model-server.js';
import { NODE_DOWN, objectIn } from './observed-program.js';
import { ensurePython } from '../../../scripts/python.mjs';

const CLIENT = join(__dirname, '..', '..', '..', 'clients', 'python');
const { python, ...missing } = ensurePython({ log: () => undefined });
if ('reason' in missing) process.stderr.write(`Not compared with clients/python: ${missing.reason}.\n`);

/** A request, and the answer of its provider. */
interface Call {
  readonly path: string;
  readonly body: string;
  /** Of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly parts: readonly (string | Uint8Array)[];
  /** Whether the connection breaks after the parts. */
  readonly isBroken?: boolean;
  /** Whether the program reads the first part only. */
  readonly isLeft?: boolean;
}

const SSE = { 'content-type': 'text/event-stream' };
const LINES = { 'content-type': 'application/x-ndjson' };
const asked = '{"model":"example-1","temperature":0.5,"max_tokens":9,"messages":[{"role":"user","content":"é 🗼"}]}';
const event = (members: object): string => `data: ${JSON.stringify(members)}\n\n`;
const delta = (members: object): string => event({ choices: [{ index: 0, delta: members }] });

/** A call of OpenAI's chat completions. */
const chat = (parts: readonly (string | Uint8Array)[], more: Partial<Call> = {}): Call => ({
  path: '/v1/chat/completions',
  body: asked,
  answerHeaders: SSE,
  parts,
  ...more,
});
const json = (answer: string | Uint8Array, more: Partial<Call> = {}): Call =>
  chat([answer], { answerHeaders: { 'content-type': 'application/json' }, ...more });

const CALLS: Readonly<Record<string, Call>> = {
  'a whole answer': json('{"id": "a", "choices": [{"text": "Lisbon", "n": 1e21}], "usage": {"total_tokens": 3.0}}'),
  'an answer in gzip': json(gzipSync('{"id":"a"}'), { answerHeaders: { 'content-encoding': 'gzip' } }),
  'an answer that is text': json('\ufeffnot JSON, 🗼'),
  'an answer that is a list': json('[1]'),
  'an answer that is no UTF-8': json(Uint8Array.of(0x7b, 0xff, 0xed, 0xa0, 0xbd, 0xe2, 0x82)),
  'no content': json('', { status: 204 }),
  'an answer over the limit': json(JSON.stringify({ id: 'x'.repeat(6000) })),
  'an answer without a canonical form': json('{"id":"a","text":"\\ud800","n":1}'),
  'a request without a canonical form': json('{"id":"a"}', { body: '{"model":"m", "messages":["\\ud800"]}' }),
  'a request that is no strict JSON': json('{"id":"a"}', { body: '{"model":"m","model":"n"}' }),
  'ids that no certificate states': json(`{"id":"\\ud800","error":{"code":"${'x'.repeat(1025)}","type":"later"}}`, {
    status: 500,
    answerHeaders: { 'x-request-id': 'y'.repeat(1025), 'request-id': 'second' },
  }),
  'a refusal': json('{"error":{"code":429,"type":"rate_limit_error"}}', {
    status: 429,
    headers: { 'x-stainless-retry-count': '2' },
  }),
  'an answer that breaks off': json('{"id":"a"', { isBroken: true }),
  'a stream': chat(events('Hel', 'lo')),
  'a stream in bytes': chat([...Buffer.from(events('é', '🗼').join(''))].map((byte) => Uint8Array.of(byte))),
  'a stream with other line ends': chat(events('a').map((one) => one.replaceAll('\n', '\r'))),
  'a stream that ends early': chat(events('Hel', 'lo').slice(0, 2)),
  'a stream that breaks off': chat(events('Hel', 'lo').slice(0, 2), { isBroken: true }),
  'a stream that is left': chat(events('Hel', 'lo').slice(0, 1), { isLeft: true }),
  'a stream whose type is in capitals': chat(events('Hel', 'lo').slice(0, 2), {
    answerHeaders: { 'content-type': 'Text/Event-Stream; Charset=UTF-8' },
  }),
  'a stream over the limit': chat(events('x'.repeat(4000), 'y'.repeat(4000))),
  'a stream of tools': chat([
    delta({
      tool_calls: [
        { index: 1, function: { name: 'pay', arguments: '{' } },
        { index: 0, id: 'a' },
      ],
    }),
    delta({ tool_calls: [{ index: 1, function: { arguments: '}' } }], content: null }),
    delta({ tool_calls: [{ index: null }, { index: -0, id: 'b' }, { index: '1' }] }),
    'data: [DONE]\n\n',
  ]),
  'a character in two deltas': chat([
    'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n',
    'data: {"choices":[{"delta":{"content":"\\ude00"}}]}\n\ndata: [DONE]\n\n',
  ]),
  'an error amid a stream': chat([...events('a').slice(0, 2), '{\nevent: x\n"error": {"code": "late"}\n}']),
  'a message': chat([JSON.stringify(MESSAGE)], { path: '/v1/messages', answerHeaders: {} }),
  'a streamed message': chat(messageEvents('Hel', 'lo'), { path: '/v1/messages' }),
  'a streamed tool': chat(
    [
      event({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 1 } } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', name: 'pay', input: {} } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '1.50}' } }),
      event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation: { url: 'u' } } }),
      event({ type: 'error', error: { type: 'overloaded_error' } }),
    ],
    { path: '/v1/messages' },
  ),
  'a streamed response': chat(
    [
      event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' }),
      event({ type: 'response.completed', response: { id: 'r', output: [{ type: 'message' }] } }),
    ],
    { path: '/v1/responses' },
  ),
  'a streamed response that ends early': chat(
    [
      event({ type: 'response.created', response: { id: 'r', output: [] } }),
      event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' }),
      event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'b' }),
      event({ type: 'response.output_item.added', item: { type: 'message' } }),
    ],
    { path: '/v1/responses' },
  ),
  'a stream of Gemini': chat(
    [
      event({ responseId: 'g', candidates: [{ content: { role: 'model', parts: [{ text: 'Lis' }] } }] }),
      event({ candidates: [{ content: { parts: [{ text: 'bon' }, { text: '', thought: true }] }, index: 0 }] }),
      event({ candidates: [{ finishReason: 'STOP', safetyRatings: [] }], usageMetadata: { totalTokenCount: 3 } }),
    ],
    {
      path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
      body: '{"generationConfig":{"topP":0.5,"seed":7}}',
    },
  ),
  'a stream of Cohere': chat(
    [
      event({ type: 'message-start', id: 'c', delta: { message: { role: 'assistant', content: [] } } }),
      event({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
      event({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Lis' } } } }),
      event({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'bon' } } } }),
      event({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } }),
    ],
    { path: '/v2/chat' },
  ),
  'lines of Ollama': chat(['{"message":{"content":"a"}}\n{"message":{"content":"b"}}\n', '{"done":true}'], {
    path: '/api/chat',
    body: '{"model":"m","options":{"num_predict":5}}',
    answerHeaders: LINES,
  }),
};

/** Members that differ in every call, and the name of the client. */
const OWN = new Set(['executionId', 'certificateHash', 'createdAt', 'timestamp', 'callId', 'source']);

function withoutOwn(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutOwn);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !OWN.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutOwn(member ?? null)]));
}

function spooledIn(dir: string): JsonValue[] {
  return readdirSync(dir)
    .filter((name) => /^\d.*\.ndjson$/.test(name))
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').trimEnd().split('\n'))
    .map((line) => withoutOwn(objectIn(parseJson(line), 'bundle')));
}

async function answer(
  { status = 200, answerHeaders, parts, isBroken, isLeft }: Call,
  to: ServerResponse,
): Promise<void> {
  to.writeHead(status, answerHeaders);
  for (const part of parts) await new Promise((resolve) => to.write(part, resolve));
  if (isBroken === true) to.destroy();
  else if (isLeft !== true) to.end();
}

type Ask = (url: string, dir: string, protocol: '1.2.0' | '1.3.0') => Promise<void>;

const inJavaScript: Ask = async (url, dir, protocol) => {
  const cer = certificates({ appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: dir, protocol, maxContentBytes: 5000 });
  const fetch = cer.fetch();
  for (const [number, { path, body, headers, isLeft }] of Object.values(CALLS).entries()) {
    const init = { method: 'POST', body, headers: { ...headers, 'x-call': String(number) } };
    const response = await fetch(`${url}${path}`, init);
    const reader = response.body?.getReader();
    try {
      if (isLeft === true) await reader?.read();
      else while ((await reader?.read())?.done === false);
      await reader?.cancel();
    } catch {
      // The answer broke off, as in the other client.
    }
  }
  await cer.close({ timeoutMs: 0 });
};

const inPython =
  (python: string): Ask =>
  async (url, dir, protocol) => {
    const program = spawn(python, [join(__dirname, 'apps', 'same-calls.py')], {
      env: { ...process.env, PYTHONPATH: CLIENT },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    program.stdin.end(JSON.stringify({ url, dir, protocol, nodeUrl: NODE_DOWN, calls: Object.values(CALLS) }));
    expect(await text(program.stderr)).toBe('');
  };

/** The bundles that a client leaves of all calls, in their order. */
async function bundlesOf(ask: Ask, protocol: '1.2.0' | '1.3.0'): Promise<readonly JsonValue[]> {
  const dir = mkdtempSync(join(tmpdir(), 'cer-same-calls-'));
  const calls = Object.values(CALLS);
  const server = await startModelServer(async (_body, response, request) => {
    response.removeHeader('x-request-id');
    // The server listens once more for each request of a connection.
    request.socket.setMaxListeners(0);
    const call = calls[Number(request.headers['x-call'])];
    if (call !== undefined) await answer(call, response);
  });
  try {
    await ask(server.url, dir, protocol);
    return JSON.parse(JSON.stringify(spooledIn(dir)).replaceAll(new URL(server.url).host, 'provider')) as JsonValue[];
  } finally {
    await server.close();
    rmSync(dir, { recursive: true });
  }
}

describe('the certificates of the client in Python', () => {
  it.each(['1.3.0', '1.2.0'] as const)('are those of this one, under %s', async (protocol) => {
    const one = await bundlesOf(inJavaScript, protocol);
    const other = python === undefined ? one : await bundlesOf(inPython(python), protocol);
    const named = (bundles: readonly JsonValue[]): object =>
      Object.fromEntries(Object.keys(CALLS).map((name, at) => [name, bundles[at]]));
    expect(one).toHaveLength(Object.keys(CALLS).length);
    expect(named(other)).toEqual(named(one));
  });
});
