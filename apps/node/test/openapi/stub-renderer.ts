import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { jcsV1 } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { Secret } from '@cer/http-service/config';

import { createRendererClient, type RendererClient } from '../../src/render/renderer-client.js';

const TOKEN = 'token-of-the-test-renderer-000000000';

/** A renderer over real HTTP with constant results; the code `loop` has a draw function. */
export async function startStubRenderer(): Promise<{ client: RendererClient; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const text = JSON.stringify(answerTo(request.url ?? '', body));
      const nonce = String(request.headers['x-render-nonce']);
      const signed = jcsV1.canonicalize({ nonce, requestHash: sha256(body), responseHash: sha256(text) });
      const mac = createHmac('sha256', TOKEN).update(signed).digest('base64url');
      response.writeHead(200, { 'content-type': 'application/json', 'x-render-mac': mac }).end(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the renderer has no port');
  return {
    client: createRendererClient(`http://127.0.0.1:${address.port}`, new Secret(TOKEN)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo(route: string, body: string): object {
  const versions = { sdkVersion: '1.0.0', rendererVersion: 'test-1', engine: { name: 'portable' }, executionTimeMs: 5 };
  if (route === '/inspect') return { definesSetup: true, definesDraw: body.includes('draw') };
  if (body.includes('totalFrames')) {
    return { animationHash: sha256('frames'), posterHash: sha256('png'), ...versions };
  }
  const pngBase64 = Buffer.from('png').toString('base64');
  return { pngBase64, runtimeHash: sha256('png'), pixelHash: sha256('pixels'), width: 1950, height: 2400, ...versions };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}
