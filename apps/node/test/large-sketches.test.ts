import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { Secret } from '@cer/http-service/config';
import { builtProgram } from '@cer/http-service/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createRendererClient } from '../src/render/renderer-client.js';
import { largeWorkOpener, type LargeWorkOpener } from '../src/thread/open-large-work.js';
import { ask } from './ask.js';
import { startTestNode, testSecrets, VERIFY_URL, type TestNode } from './test-node.js';

const LARGE = 300 * 1024;
const MIB = 1024 * 1024;
const START = { url: pathToFileURL(builtProgram('apps/node/src/thread/thread.ts')) };
const ENGINE = { name: 'portable', version: '1', wasmHash: 'w', mathHash: 'm', fontsHash: 'f' };

const padding = 'é'.repeat(LARGE);
const arrays = Array.from({ length: LARGE / 3 }, () => []);
const code = `function setup() {} // ${padding}`;

/** A node that parses large requests about sketches in threads, and one that does so on the event loop. */
let threaded: TestNode;
let plain: TestNode;
let opener: LargeWorkOpener;
/** Records the requests and draws nothing. */
let renderer: Server;
const orders: unknown[] = [];
const jobs: string[] = [];

beforeAll(async () => {
  renderer = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      orders.push([request.url, JSON.parse(text)]);
      response.writeHead(text.length > MIB ? 413 : 503).end();
    });
  });
  await new Promise<void>((resolve) => {
    renderer.listen(0, '127.0.0.1', resolve);
  });
  const { port } = renderer.address() as AddressInfo;
  const client = createRendererClient(`http://127.0.0.1:${port}`, new Secret('token-of-the-test-renderer-000000000'));
  const replace = {
    bodyLimitBytes: 4 * MIB,
    render: { renderer: client, maxTotalFrames: 1800, allowOpenRender: false },
  };
  const limits = { verifyLimitBytes: MIB, hasLog: false, tsaRootsPem: null };
  opener = largeWorkOpener({ ...limits, secrets: testSecrets('secret-1'), verifyUrl: VERIFY_URL }, START);
  threaded = await startTestNode({
    replace: () => ({
      ...replace,
      openLargeWork: (deps) => {
        const work = opener.open(deps);
        return {
          run: async (kind, ...request) => {
            jobs.push(kind);
            return work.run(kind, ...request);
          },
          verify: (kind, ...request) => work.verify(kind, ...request),
        };
      },
    }),
  });
  plain = await startTestNode({ replace: () => replace });
});
afterAll(async () => {
  await opener.close();
  await threaded.close();
  await plain.close();
  renderer.closeAllConnections();
  await new Promise((resolve) => renderer.close(resolve));
});

/** The answer of a node, and its requests to the renderer. */
async function answerOf(node: TestNode, path: string, body: object | string): Promise<unknown> {
  orders.length = 0;
  const headers = { 'content-type': 'application/json', 'x-request-id': 'same-on-both' };
  const { status, text } = await ask(node, 'post', path, { key: await node.newKey('tenant'), body, headers });
  const asked: unknown = JSON.parse(JSON.stringify(orders).replaceAll(/"tenantId":"[^"]+"/g, '"tenantId":"tenant"'));
  return { status, body: JSON.parse(text) as unknown, asked };
}

const image = (members: object): object => ({ code, seed: 's', VAR: [1], ...members });
const render = (members: object, snapshot: object = {}): object => ({
  snapshot: { code, seed: 's', vars: [1], ...snapshot },
  ...members,
});

describe('large sketches in threads and the event loop', () => {
  it.each<[string, number, object | string]>([
    ['a picture', 503, image({})],
    ['a picture with unknown members', 503, image({ other: arrays, code: 'draw' })],
    ['a picture that is too large for the renderer', 413, image({ code: 'x'.repeat(MIB) })],
    ['a certified picture', 503, image({ certify: true, executionId: 'e', engine: 'portable' })],
    ['an id of the wrong type', 400, image({ certify: true, executionId: arrays })],
    ['variables of the wrong type', 400, image({ VAR: arrays })],
    ['one side of the canvas', 400, image({ width: 1950 })],
    ['a negative zero as a variable', 503, image({ VAR: [-0] })],
    ['no object', 400, JSON.stringify([padding])],
    ['a member twice', 400, `{"a":"${padding}","b":1,"b":2}`],
    ['text that is not JSON', 400, `{"a":"${padding}",}`],
  ])('get the same from /api/render: %s', async (_name, status, body) => {
    const got = await answerOf(threaded, '/api/render', body);
    expect(got).toMatchObject({ status });
    expect(got).toEqual(await answerOf(plain, '/api/render', body));
  });

  it.each<[string, number, object | string]>([
    ['a still', 503, render({ executionId: 'e', expectedHash: `sha256:${'0'.repeat(64)}` })],
    ['a loop', 503, render({}, { execution: { mode: 'loop', totalFrames: 3, fps: 10, other: arrays } })],
    ['frames of the wrong type', 400, render({}, { execution: { mode: 'loop', totalFrames: arrays } })],
    ['frames of the wrong type without a mode', 503, render({}, { execution: { totalFrames: arrays } })],
    ['an execution of the wrong type', 400, render({}, { execution: arrays })],
    ['no execution', 503, render({ other: arrays }, { execution: null })],
    ['an engine', 503, render({}, { engine: ENGINE })],
    ['an engine with large unknown members', 503, render({}, { engine: { ...ENGINE, other: arrays } })],
    ['an engine of the wrong type', 400, render({}, { engine: arrays })],
    ['a version of the wrong type', 503, render({}, { rendererVersion: arrays })],
    ['expected hashes of the wrong type', 400, render({ expectedHash: arrays })],
    ['no snapshot', 400, { code }],
  ])('get the same from /verify: %s', async (_name, status, body) => {
    const got = await answerOf(threaded, '/verify', body);
    expect(got).toMatchObject({ status });
    const there = await answerOf(plain, '/verify', body);
    // Its versions are not read: an engine has no further members.
    if (_name === 'an engine with large unknown members') expect(there).toMatchObject({ status });
    else expect(got).toEqual(there);
  });

  it('are parsed in threads, small ones on the event loop', async () => {
    jobs.length = 0;
    await answerOf(threaded, '/api/render', image({}));
    await answerOf(threaded, '/verify', render({}));
    await answerOf(threaded, '/verify', render({}, { code: 'draw' }));
    expect(jobs).toEqual(['image', 'render']);
  });
});
