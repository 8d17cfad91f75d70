import { createHash } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from '@jest/globals';
import type { Outcome } from '../src/outcome.js';
import { COMPLETION } from './model-server.js';
import { hashOf, ObservedProgram } from './observed-program.js';

// The cases of clients/python/tests/sdk: both clients certify the bytes that the program gets.

const CONTENT = Buffer.from(JSON.stringify(COMPLETION));
const PACKED = gzipSync(CONTENT);
const WRONG_SUM = Buffer.concat([PACKED.subarray(0, -8), Buffer.alloc(4), PACKED.subarray(-4)]);

let program: ObservedProgram;
afterEach(async () => program.end());

it.each<[string, string, Buffer, Outcome]>([
  ['deflate', 'deflate', deflateSync(CONTENT), 'complete'],
  ['raw deflate', 'deflate', deflateRawSync(CONTENT), 'complete'],
  ['brotli', 'br', brotliCompressSync(CONTENT), 'complete'],
  ['two encodings', 'deflate, GZIP', gzipSync(deflateSync(CONTENT)), 'complete'],
  ['an unknown encoding', 'none', CONTENT, 'complete'],
  ['an encoding without a name', '', CONTENT, 'complete'],
  ['zeros behind the answer', 'gzip', Buffer.concat([PACKED, Buffer.alloc(20)]), 'complete'],
  ['two members', 'gzip', Buffer.concat([PACKED, gzipSync(' '.repeat(50))]), 'complete'],
  ['an answer cut off', 'gzip', PACKED.subarray(0, -4), 'complete'],
  ['a wrong sum', 'gzip', WRONG_SUM, 'truncated'],
  ['an answer without its encoding', 'gzip', CONTENT, 'truncated'],
  ['a small body of a large answer', 'gzip', gzipSync(Buffer.alloc(20_000_000, '{')), 'complete'],
])('certifies the bytes that the program gets: %s', async (_, encoding, body, outcome) => {
  program = await ObservedProgram.start((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
    response.end(body);
  });
  const init = { method: 'POST', body: '{"model":"example-1"}' };
  const { body: answer } = await program.cer.fetch()(`${program.server.url}/v1/chat/completions`, init);
  const sha256 = createHash('sha256');
  let bytes = 0;
  let isBroken = false;
  try {
    for await (const part of answer ?? []) {
      bytes += part.byteLength;
      sha256.update(part);
    }
  } catch {
    isBroken = true;
  }
  expect(isBroken).toBe(outcome === 'truncated');
  const [{ payload, snapshot } = { payload: {}, snapshot: {} }] = program.calls();
  const isLarge = bytes === 20_000_000;
  expect(payload).toMatchObject({
    outcome,
    outputIs: isLarge ? 'bytes' : 'body',
    responseBytes: bytes,
    responseSha256: `sha256:${sha256.digest('hex')}`,
  });
  if (!isBroken && !isLarge) expect(snapshot).toMatchObject({ outputHash: hashOf(COMPLETION) });
});
