import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jcsV1 } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { Secret } from '@cer/http-service/config';

import { createRendererClient } from '../src/render/renderer-client.js';
import { ask, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

// A renderer that ends while it answers, like a killed one.

const TOKEN = 'token-of-the-test-renderer-000000000';

/** Each ends the connection of an answer at another point. */
const ENDS = new Map<string, (response: ServerResponse) => void>([
  ['before its answer', (response) => response.destroy()],
  [
    'after the head of its answer',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-render-mac': 'x' }).flushHeaders();
      setImmediate(() => response.destroy());
    },
  ],
  [
    'within a picture of known length',
    (response) => {
      response.writeHead(200, { 'content-length': '1000', 'x-render-mac': 'x' });
      response.write('{"pngBase64":"', () => response.destroy());
    },
  ],
  [
    'within a picture in chunks',
    (response) => {
      response.writeHead(200, { 'x-render-mac': 'x' });
      response.write('{"pngBase64":"', () => response.destroy());
    },
  ],
  [
    'by a change of the protocol',
    (response) => {
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
    },
  ],
]);
const FRAMES_END = new Map<string, (response: ServerResponse) => void>([
  ...ENDS,
  [
    'between two reports of progress',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: progress\ndata: {"frame":1}\n\nevent: pro', () => response.destroy());
    },
  ],
]);

/** The first request for a loop: whether the sketch has draw(). */
function answerInspection({ headers }: IncomingMessage, body: string, response: ServerResponse): void {
  const text = JSON.stringify({ definesSetup: true, definesDraw: true });
  const message = jcsV1.canonicalize({
    nonce: String(headers['x-render-nonce']),
    requestHash: sha256(body),
    responseHash: sha256(text),
  });
  response.setHeader('x-render-mac', createHmac('sha256', TOKEN).update(message).digest('base64url'));
  response.end(text);
}

describe('a renderer that ends while it draws', () => {
  let renderer: Server;
  let node: TestNode;
  let key: string;
  let end: (response: ServerResponse) => void = () => undefined;

  beforeAll(async () => {
    renderer = createServer((request, response) => {
      void textOf(request).then((body) => {
        if (request.url === '/inspect') answerInspection(request, body, response);
        else end(response);
      });
    });
    await new Promise<void>((resolve) => {
      renderer.listen(0, '127.0.0.1', resolve);
    });
    const { port } = renderer.address() as AddressInfo;
    const client = createRendererClient(`http://127.0.0.1:${port}`, new Secret(TOKEN));
    node = await startTestNode({
      replace: () => ({ render: { renderer: client, maxTotalFrames: 1800, allowOpenRender: false } }),
    });
    key = await node.newKey();
  });
  afterAll(async () => {
    await node.close();
    renderer.closeAllConnections();
    await new Promise((resolve) => renderer.close(resolve));
  });

  const post = (path: string, body: object, accept = 'application/json'): Promise<Answer> =>
    ask(node, 'post', path, { key, body, headers: { accept } });
  const records = (): Promise<readonly unknown[]> => node.database.query('select seq from records');
  const unavailable = {
    status: 503,
    body: { error: 'RENDERER_UNAVAILABLE' },
    headers: expect.objectContaining({ 'retry-after': '2' }),
  };
  const sketch = { code: 'function setup() {}', seed: 's' };

  it.each([...ENDS])('is reported to retry, and nothing is certified: %s', async (_when, ends) => {
    end = ends;
    expect(await post('/api/render', { ...sketch, VAR: [], certify: true })).toMatchObject(unavailable);
    expect(await post('/verify', { snapshot: { ...sketch, vars: [] } })).toMatchObject(unavailable);
    expect(await records()).toEqual([]);
  });

  it.each([...FRAMES_END])('ends a stream of progress with a refusal: %s', async (_when, ends) => {
    end = ends;
    const execution = { mode: 'loop', totalFrames: 3 };
    const { text } = await post('/verify', { snapshot: { ...sketch, vars: [], execution } }, 'text/event-stream');
    expect(text).toMatch(/event: error\ndata: .*"RENDERER_UNAVAILABLE"/);
    expect(await records()).toEqual([]);
  });

  it.each([...ENDS])('is reported to retry for a video: %s', async (_when, ends) => {
    end = ends;
    const execution = { mode: 'loop', totalFrames: 3 };
    expect(await post('/verify', { snapshot: { ...sketch, vars: [], execution } }, 'video/mp4')).toMatchObject(
      unavailable,
    );
  });
});
