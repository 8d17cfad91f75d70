import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { collected, ObservedProgram } from './observed-program.js';

const ANSWER = JSON.stringify({ id: 'chatcmpl-1', choices: [] });
const PATH = '/v1/chat/completions';

let program: ObservedProgram;
let head: string;
let server: Server;
beforeEach(async () => {
  program = await ObservedProgram.start(() => undefined);
  server = createServer((socket) => {
    socket.once('data', () => socket.end(`${head}\r\ncontent-length: ${ANSWER.length}\r\nx-y: z\r\n\r\n${ANSWER}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await program.end();
});

const MEMBERS = ['status', 'statusText', 'ok', 'url', 'type', 'redirected'] as const;

function setsHeader({ headers }: Response): boolean {
  try {
    headers.set('x-y', 'changed');
    return true;
  } catch {
    return false;
  }
}

async function seen(fetch: typeof globalThis.fetch): Promise<unknown> {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', body: '{"model":"example-1"}' });
  const copy = response.clone();
  const parts = [response, copy, copy.clone()].map(async (one) => [
    ...MEMBERS.map((name) => one[name]),
    one instanceof Response,
    Object.keys(one),
    JSON.stringify(one),
    [...one.headers],
    await one.text(),
  ]);
  return [setsHeader(response), ...(await Promise.all(parts))];
}

describe('an answer and its copies are those of the provider', () => {
  it.each([
    ['a plain head', 'HTTP/1.1 200 OK'],
    ['a status that no Response can be made with', 'HTTP/1.1 999 Denied'],
    ['a reason phrase beyond ASCII', 'HTTP/1.1 200 Всё'],
    ['no reason phrase', 'HTTP/1.1 429'],
  ])('with %s', async (_, line) => {
    head = line;
    expect(await seen(program.cer.fetch())).toEqual(await seen(fetch));
    expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, sealed: 1 });
    expect(program.observerFaults()).toEqual([]);
  });
});

it.each([
  ['openai-responses', { status: 'failed', error: { code: 'server_error', message: 'm' } }, 'failed', 'server_error'],
  ['a gateway', { error: { message: 'm', code: 429, type: 'rate_limit' } }, 'failed', 'rate_limit'],
  ['a text', { error: 'no memory' }, 'failed', undefined],
  ['cohere', { id: 'c', finish_reason: 'ERROR' }, 'failed', undefined],
  ['no error', { id: 'c', error: null, finish_reason: 'COMPLETE' }, 'complete', undefined],
  ['an empty error', { id: 'c', error: '' }, 'complete', undefined],
])('an answer of status 200 that reports an error has failed: %s', async (_, body, outcome, errorCode) => {
  const observed = program.cer.fetch({ fetch: async () => new Response(JSON.stringify(body)) });
  const response = await observed(`${program.server.url}${PATH}`, { method: 'POST', body: '{"model":"example-1"}' });
  expect(await response.json()).toEqual(body);
  const [call] = program.calls();
  expect([call?.payload['outcome'], call?.payload['errorCode']]).toEqual([outcome, errorCode]);
});

it.each<[string, () => unknown]>([
  [
    'that another reader has',
    () => {
      const response = new Response(ANSWER);
      response.body?.getReader();
      return response;
    },
  ],
  ['that is none', () => undefined],
  ['without a class', () => ({ status: 200, body: new Response(ANSWER).body, headers: new Headers() })],
])('an answer %s is left to the caller', async (_, answer) => {
  const given = answer();
  const observed = program.cer.fetch({ fetch: async () => given as Response });
  const called = observed(`${program.server.url}${PATH}`, { method: 'POST', body: '{"model":"example-1"}' });
  expect(await called).toBe(given);
  expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, unsealed: 1 });
});

/** The response of a fetch of a package: the same members, and a class that is not the global one. */
class OtherResponse {
  readonly #response: Response;
  readonly url = 'http://models.test';

  constructor(...[body, init]: ConstructorParameters<typeof Response>) {
    this.#response = new Response(body, init);
  }
  get body(): Response['body'] {
    return this.#response.body;
  }
  get headers(): Headers {
    return this.#response.headers;
  }
  get status(): number {
    return this.#response.status;
  }
  get statusText(): string {
    return this.#response.statusText;
  }
  get ok(): boolean {
    return this.#response.ok;
  }
  get bodyUsed(): boolean {
    return this.#response.bodyUsed;
  }
  clone(): OtherResponse {
    return new OtherResponse(this.#response.clone().body);
  }
  async text(): Promise<string> {
    return this.#response.text();
  }
}

it('an answer of another fetch keeps its class and is certified', async () => {
  const other = (async () => new OtherResponse(ANSWER)) as unknown;
  const observed = program.cer.fetch({ fetch: other as typeof fetch });
  const answer: unknown = await observed(`${program.server.url}${PATH}`, { method: 'POST', body: '{"model":"m"}' });
  if (!(answer instanceof OtherResponse)) throw new Error('another class');
  expect([answer.url, answer.status, await answer.clone().text(), await answer.text()]).toEqual([
    'http://models.test',
    200,
    ANSWER,
    ANSWER,
  ]);
  expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, sealed: 1 });
});

it.each(['by the same request', 'by the end of the client'])('a refusal that nobody reads ends %s', async (by) => {
  const ask = async (status: string): Promise<Response> => {
    head = `HTTP/1.1 ${status}`;
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    const init = { method: 'POST', body: '{"model":"example-1"}' };
    return program.cer.fetch()(`http://127.0.0.1:${port}${PATH}`, init);
  };
  const refusal = await ask('503 Later');
  expect([refusal.status, program.cer.stats().open]).toEqual([503, 1]);
  if (by === 'by the same request') await (await ask('200 OK')).text();
  else await program.cer.close({ timeoutMs: 0 });
  expect(program.calls()[0]?.payload).toMatchObject({ outcome: 'failed', httpStatus: 503 });
  // Reading it afterwards is as before.
  expect(await refusal.text()).toBe(ANSWER);
  expect(program.cer.stats()).toMatchObject({ open: 0, sealed: program.calls().length });
});

it('an answer that the program drops unread ends with its body, and so does its connection', async () => {
  let closed = false;
  server.removeAllListeners('connection').on('connection', (socket) => {
    socket.on('close', () => (closed = true)).on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\nHello'));
  });
  const drop = async (fetch: typeof globalThis.fetch): Promise<void> => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', body: '{"model":"example-1"}' });
  };
  await drop(program.cer.fetch());
  await collected(() => closed && program.cer.stats().open === 0);
  expect(program.calls()).toMatchObject([{ payload: { outcome: 'aborted', responseBytes: 0 } }]);
  expect(program.observerFaults()).toEqual([]);
});
