import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ok } from '../handler/handler.js';
import { createRouter } from '../routing/router.js';
import { silentLogger } from '../telemetry/logger.js';
import { connectRaw } from '../testing/index.js';
import { serve, type RunningServer } from './serve.js';

// Request smuggling: exact bytes on one connection, which requests they become, and how they are answered.

let server: RunningServer;
/** What the handlers received, in order. */
const handled: string[] = [];

beforeAll(async () => {
  const logger = silentLogger();
  const router = createRouter(
    [
      {
        method: 'POST',
        path: '/in',
        bodyLimitBytes: 100,
        handler: async ({ body }) => {
          handled.push(`POST ${Buffer.from(body).toString('latin1')}`);
          return ok({});
        },
      },
      {
        method: 'GET',
        path: '/last',
        handler: async () => {
          handled.push('GET /last');
          return ok({});
        },
      },
    ],
    { logger },
  );
  server = await serve(router, { host: '127.0.0.1', port: 0, logger });
});
afterAll(() => server.close());
beforeEach(() => {
  handled.length = 0;
});

/** The request that an attacker hides behind the first one; it ends the connection. */
const LAST = 'GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
const POST = 'POST /in HTTP/1.1\r\nhost: a\r\n';
const GET = 'GET /last HTTP/1.1\r\nhost: a\r\n';
const CHUNKED = `${POST}transfer-encoding: chunked\r\n\r\n`;
const NO_CHUNKS = '0\r\n\r\n';

/** @returns the statuses of all answers on the connection */
async function statusesOf(bytes: string): Promise<readonly number[]> {
  const raw = await connectRaw(server.url);
  raw.send(bytes);
  const answers = await raw.ended();
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

describe('ambiguous framing', () => {
  it.each([
    [
      'Content-Length, then Transfer-Encoding',
      `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'Transfer-Encoding, then Content-Length',
      `${POST}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n`,
    ],
    ['two equal Content-Length', `${POST}content-length: 1\r\ncontent-length: 1\r\n\r\n1`],
    ['two different Content-Length', `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\n1`],
    ['a list of lengths', `${POST}content-length: 1, 1\r\n\r\n1`],
    ['a signed length', `${POST}content-length: +1\r\n\r\n1`],
    ['a hexadecimal length', `${POST}content-length: 0x1\r\n\r\n1`],
    ['a folded length', `${POST}content-length: 1\r\n 1\r\n\r\n1`],
    ['a space before the colon', `${POST}content-length : 1\r\n\r\n1`],
    ['an unknown coding', `${POST}transfer-encoding: xchunked\r\n\r\n${NO_CHUNKS}`],
    ['a control character before the coding', `${POST}transfer-encoding: \x0bchunked\r\n\r\n${NO_CHUNKS}`],
    ['a quoted coding', `${POST}transfer-encoding: "chunked"\r\n\r\n${NO_CHUNKS}`],
    ['chunked twice', `${POST}transfer-encoding: chunked, chunked\r\n\r\n${NO_CHUNKS}`],
    ['chunked, then identity', `${POST}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n${NO_CHUNKS}`],
    ['a coding that nothing decodes', `${POST}transfer-encoding: gzip, chunked\r\n\r\n${NO_CHUNKS}`],
    ['the same in two fields', `${POST}transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n${NO_CHUNKS}`],
    [
      'chunks under HTTP/1.0',
      `POST /in HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n${NO_CHUNKS}`,
    ],
    ['HTTP/0.9', 'GET /last\r\n\r\n'],
    ['HTTP/1.2', 'GET /last HTTP/1.2\r\nhost: a\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['obsolete line folding', `${POST}x: a\r\n b\r\ncontent-length: 1\r\n\r\n1`],
    ['a folded coding', `${POST}transfer-encoding:\r\n chunked\r\n\r\n${NO_CHUNKS}`],
    ['a space before the first field', 'GET /last HTTP/1.1\r\n host: a\r\n\r\n'],
    ['bare line feeds', 'POST /in HTTP/1.1\nhost: a\ncontent-length: 1\n\n1'],
    ['a bare line feed after one field', `${POST}x: y\ncontent-length: 1\r\n\r\n1`],
    ['a bare line feed at the end of the head', `${POST}content-length: 1\r\n\n1`],
    ['a bare carriage return', `${POST}x: y\rcontent-length: 1\r\n\r\n1`],
    ['a NUL in a field', `${POST}x: a\0b\r\ncontent-length: 1\r\n\r\n1`],
    ['a field without a name', `${GET}: x\r\n\r\n`],
    ['a space in the target', 'GET /last /x HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['two Host fields', `${GET}host: b\r\n\r\n`],
    ['no Host field', 'GET /last HTTP/1.1\r\n\r\n'],
    ['two Authorization fields', `${GET}authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`],
    ['a second Host field behind 2000 others', `${GET}${'a:b\r\n'.repeat(2000)}host: b\r\n\r\n`],
    ['a line feed after a chunk extension', `${CHUNKED}1;a=b\nx\r\n${NO_CHUNKS}`],
    ['a carriage return in a chunk extension', `${CHUNKED}1;a\rb\r\nx\r\n${NO_CHUNKS}`],
    ['an endless chunk extension', `${CHUNKED}1;${'a'.repeat(20_000)}\r\nx\r\n${NO_CHUNKS}`],
    ['a line feed after a chunk size', `${CHUNKED}1\nx\r\n${NO_CHUNKS}`],
    ['a line feed after a chunk', `${CHUNKED}1\r\nx\n${NO_CHUNKS}`],
    ['bytes after a chunk', `${CHUNKED}1\r\nxyy${NO_CHUNKS}`],
    ['a chunk size above 64 bits', `${CHUNKED}10000000000000001\r\nx\r\n${NO_CHUNKS}`],
    ['a chunk size with a prefix', `${CHUNKED}0x1\r\nx\r\n${NO_CHUNKS}`],
    ['a chunk size with a sign', `${CHUNKED}-1\r\nx\r\n${NO_CHUNKS}`],
    ['an empty chunk size', `${CHUNKED}\r\nx\r\n${NO_CHUNKS}`],
    ['a length in the trailer', `${CHUNKED}1\r\nx\r\n0\r\ncontent-length: 50\r\n\r\n`],
  ])('is refused, and nothing behind it is handled: %s', async (_name, bytes) => {
    expect(await statusesOf(bytes + LAST)).toEqual([400]);
    expect(handled).toEqual([]);
  });
});

describe('unusual but valid framing', () => {
  it.each([
    [
      'the coding in capitals',
      `${POST}Transfer-Encoding: CHUNKED\r\n\r\n1\r\nx\r\n${NO_CHUNKS}`,
      ['POST x', 'GET /last'],
    ],
    ['a chunk extension', `${CHUNKED}1;a=b\r\nx\r\n${NO_CHUNKS}`, ['POST x', 'GET /last']],
    ['a key in the trailer', `${CHUNKED}1\r\nx\r\n0\r\nauthorization: Bearer z\r\n\r\n`, ['POST x', 'GET /last']],
    [
      'a Host field behind 2000 others',
      `GET /last HTTP/1.1\r\n${'a:b\r\n'.repeat(2000)}host: a\r\n\r\n`,
      ['GET /last', 'GET /last'],
    ],
    ['a body of GET', `${GET}content-length: ${LAST.length}\r\n\r\n${LAST}`, ['GET /last', 'GET /last']],
    ['another method in a field', `${GET}x-http-method-override: POST\r\n\r\n`, ['GET /last', 'GET /last']],
  ])('is two requests, neither more nor fewer: %s', async (_name, bytes, expected) => {
    expect(await statusesOf(bytes + LAST)).toEqual([200, 200]);
    expect(handled.toSorted()).toEqual(expected.toSorted());
  });

  it.each(['CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n'])('opens no tunnel: %j', async (bytes) => {
    expect(await statusesOf(bytes + LAST)).toEqual([405]);
    expect(handled).toEqual([]);
  });

  it('does not change the protocol', async () => {
    expect(await statusesOf(`${GET}connection: upgrade, close\r\nupgrade: h2c\r\n\r\n`)).toEqual([200]);
    expect(handled).toEqual(['GET /last']);
  });
});
