import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClientGone, readBody } from './read-body.js';

const MIB = 1024 * 1024;
const LIMIT = 4 * MIB;
const ONE_BYTE_CHUNKS = 300_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Every place of a body has its own value, so that a piece at the wrong place is seen. */
const bodyOf = (bytes: number): Buffer => Buffer.from(Uint32Array.from({ length: bytes / 4 }, (_, at) => at).buffer);

describe('Reading a whole body', () => {
  let read: Promise<unknown>;
  let hasRead: () => void;
  let inTurn = 0;
  let mostInTurn = 0;
  let onChunk = (): void => undefined;
  const arrived = (bytes: number): void => {
    onChunk();
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += bytes;
    mostInTurn = Math.max(mostInTurn, inTurn);
  };
  const server = createServer((incoming, response) => {
    read = readBody(incoming, LIMIT, arrived).catch((error: unknown) => error);
    void read.then(() => response.end());
    hasRead();
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });

  const send = async (
    body: Buffer,
    headers: Readonly<Record<string, string | number>>,
    isCut = false,
  ): Promise<unknown> => {
    const began = new Promise<void>((resolve) => {
      hasRead = resolve;
    });
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    sent.on('response', (answer: IncomingMessage) => answer.resume());
    if (isCut) sent.write(body, () => sent.destroy());
    else sent.end(body);
    await began;
    return read;
  };

  it.each([
    ['of one piece', 400, true],
    ['of a few pieces', 600_000, true],
    ['of several MiB', 3 * MIB + 4, true],
    ['of several MiB without a length', 3 * MIB + 4, false],
  ])('gives the bytes of a body %s', async (_name, bytes, hasLength) => {
    const body = bodyOf(bytes);
    const got = await send(body, hasLength ? { 'content-length': bytes } : { 'transfer-encoding': 'chunked' });
    expect(got).toBeInstanceOf(Uint8Array);
    expect(Buffer.compare(body, Buffer.from(got as Uint8Array))).toBe(0);
  });

  it('gives a large body in transferable memory', async () => {
    const got = await send(bodyOf(2 * MIB), { 'content-length': 2 * MIB });
    expect((got as Uint8Array).buffer.byteLength).toBe(2 * MIB);
  });

  it('takes a limited part of a large body per turn', async () => {
    mostInTurn = 0;
    await send(bodyOf(LIMIT), { 'content-length': LIMIT });
    expect(mostInTurn).toBeLessThanOrEqual(320 * 1024);
  });

  it('keeps a body of one-byte chunks in little memory', async () => {
    let received = 0;
    let heapWithAll = Infinity;
    onChunk = () => {
      received += 1;
      if (received !== ONE_BYTE_CHUNKS) return;
      heapWithAll = heapBytes();
    };
    const body = Buffer.from(`${'1\r\nx\r\n'.repeat(ONE_BYTE_CHUNKS)}0\r\n\r\n`);
    const began = new Promise<void>((resolve) => {
      hasRead = resolve;
    });
    const heapBefore = heapBytes();
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: test\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.write(body);
    await began;
    expect(Buffer.compare((await read) as Buffer, Buffer.alloc(ONE_BYTE_CHUNKS, 'x'))).toBe(0);
    socket.resume();
    await once(socket, 'close');
    expect(received).toBe(ONE_BYTE_CHUNKS);
    expect(heapWithAll - heapBefore).toBeLessThan(10 * MIB);
  });

  it('refuses a body that ends before its length', async () => {
    expect(await send(bodyOf(2 * MIB), { 'content-length': 3 * MIB }, true)).toBeInstanceOf(ClientGone);
  });

  it('refuses a body over the limit, declared or not', async () => {
    const refused = { refusal: { code: 'PAYLOAD_TOO_LARGE' } };
    expect(await send(bodyOf(LIMIT + 4), { 'content-length': LIMIT + 4 })).toMatchObject(refused);
    expect(await send(bodyOf(LIMIT + 4), { 'transfer-encoding': 'chunked' })).toMatchObject(refused);
  });
});
