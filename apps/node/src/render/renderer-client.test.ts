import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { jcsV1 } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { Secret } from '@cer/http-service/config';
import { createRendererClient, type RendererClient } from './renderer-client.js';

const TOKEN = 'token-of-the-test-renderer-000000000';

describe('the frames of a loop', () => {
  let renderer: Server;
  let client: RendererClient;
  let pieces: readonly string[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestHash = sha256(await textOf(request));
    const message = jcsV1.canonicalize({
      nonce: String(request.headers['x-render-nonce']),
      requestHash,
      responseHash: sha256(pieces.join('')),
    });
    const mac = createHmac('sha256', TOKEN).update(message).digest('base64url');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: progress\ndata: {"frame":1}\n\nevent: result\ndata: ');
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    response.end(`\n\nevent: mac\ndata: ${mac}\n\n`);
  };

  beforeAll(async () => {
    renderer = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => {
      renderer.listen(0, '127.0.0.1', resolve);
    });
    const { port } = renderer.address() as AddressInfo;
    client = createRendererClient(`http://127.0.0.1:${port}`, new Secret(TOKEN));
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  afterAll(async () => {
    await new Promise((resolve) => renderer.close(resolve));
  });

  it('are read without searching a large picture in each chunk', async () => {
    const picture = 'x'.repeat(64 * 1024);
    pieces = ['{"pngBase64":"', ...Array.from({ length: 64 }, () => picture), '"}'];
    const search = jest.spyOn(String.prototype, 'indexOf');
    const frames = client.follow({}, new AbortController().signal);
    expect(await frames.next()).toEqual({ done: false, value: { data: '{"frame":1}' } });
    expect(await frames.next()).toEqual({ done: true, value: { pngBase64: picture.repeat(64) } });
    const searched = search.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
    expect(searched).toBeGreaterThan(0);
    expect(searched).toBeLessThan(5 * 64 * picture.length);
  });
});
