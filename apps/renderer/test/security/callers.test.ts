import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics, serve, silentLogger, type RunningServer } from '@cer/http-service/process';
import { createApp, rendererRoutes, type AppDeps } from '../../src/app.js';
import { hostileForm, hostileJson, pollutedKinds } from '@cer/http-service/testing';
import { testConfig, TOKEN } from '../renderer-under-test.js';

// Every route of the renderer with every caller, without a browser: an admitted sketch is answered 503.

const DEPS: AppDeps = { config: testConfig(), logger: silentLogger(), engine: () => 'no browser in this test' };

const CALLERS = {
  anonymous: {},
  'another scheme': { authorization: `Basic ${TOKEN}` },
  'wrong token': { authorization: `Bearer ${TOKEN}x` },
  'shorter token': { authorization: `Bearer ${TOKEN.slice(1)}` },
  'API key': { authorization: `Bearer cer_live_${'A'.repeat(43)}` },
  'admin secret': { 'x-admin-secret': TOKEN },
  node: { authorization: `Bearer ${TOKEN}` },
} as const;
type Expected = Readonly<Record<keyof typeof CALLERS, number>>;

const every = (status: number): Expected => ({
  ...{ anonymous: status, 'another scheme': status, 'wrong token': status, 'shorter token': status },
  ...{ 'API key': status, 'admin secret': status, node: status },
});
const INTERNAL: Expected = { ...every(401), node: 503 };

const ROWS: readonly (readonly [route: string, expected: Expected])[] = [
  ['POST /render', INTERNAL],
  ['POST /inspect', INTERNAL],
  ['POST /loop', INTERNAL],
  ['GET /health', every(200)],
  ['GET /ready', every(503)],
  ['GET /metrics', every(200)],
];

let server: RunningServer;
beforeAll(async () => {
  server = await serve(createApp(DEPS), { host: '127.0.0.1', port: 0, logger: DEPS.logger });
});
afterAll(() => server.close());

async function statusOf(
  route: string,
  headers: Readonly<Record<string, string>>,
  { encode = JSON.stringify, query = '' }: { encode?: (body: unknown) => string; query?: string } = {},
): Promise<number> {
  const [method = '', path = ''] = route.split(' ');
  const sketch = {
    ...{ tenantId: 't', code: 'function setup() {}' },
    ...(path === '/loop' && { totalFrames: 2, fps: 30 }),
  };
  const body = method === 'POST' ? { body: encode(sketch) } : {};
  const nonce = { 'x-render-nonce': 'nonce-of-a-test-0123456789', 'content-type': 'application/json' };
  const answer = await fetch(server.url + path + query, { method, headers: { ...nonce, ...headers }, ...body });
  // Only the node receives the MAC of an answer.
  const isSigned = headers === CALLERS.node && method === 'POST';
  expect([headers, answer.headers.has('x-render-mac')]).toEqual([headers, isSigned]);
  await answer.arrayBuffer();
  return answer.status;
}

describe('the matrix of callers and routes', () => {
  it('has a row for every route', () => {
    const { sketches, operations } = rendererRoutes(DEPS, createMetrics());
    const routes = [...sketches, ...operations].map(({ method, path }) => `${method} ${path}`);
    expect(ROWS.map(([route]) => route).toSorted()).toEqual(routes.toSorted());
  });

  it.each(ROWS)('has the expected statuses: %s', async (route, expected) => {
    const statuses: [string, number][] = [];
    for (const [caller, headers] of Object.entries(CALLERS)) statuses.push([caller, await statusOf(route, headers)]);
    expect(Object.fromEntries(statuses)).toEqual(expected);
  });
});

describe('a hostile request', () => {
  const posted = ROWS.map(([route]) => route).filter((route) => route.startsWith('POST '));

  it.each(posted)('changes no prototype: %s', async (route) => {
    for (const headers of [CALLERS.anonymous, CALLERS.node]) {
      const status = await statusOf(route, headers, { encode: hostileJson, query: `?${hostileForm({})}` });
      // The engine of this test does not draw: an admitted sketch is answered 503.
      expect([400, 401, 503]).toContain(status);
    }
    expect(pollutedKinds()).toEqual([]);
  });
});
