import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportOf, span } from './otlp-json.js';
import { startStubControlPlane, type StubControlPlane, type StubTenant } from './stub-control-plane.js';
import { startTestBridge, TEST_LIMITS, type TestBridge } from './test-bridge.js';

const EXECUTIONS = '/api/v1/ingest/executions';
const KIB = 1024;

let controlPlane: StubControlPlane;
let bridge: TestBridge;
/** Ends requests of senders that are idle for a moment. */
let impatient: TestBridge;
let tenant: StubTenant;
let key: string;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  tenant = controlPlane.newTenant();
  key = controlPlane.newKey(tenant);
  const bridgeThatWaits = (stallMs: number): Promise<TestBridge> =>
    startTestBridge({
      nodeUrl: 'http://127.0.0.1:9',
      controlPlaneUrl: controlPlane.url,
      replace: () => ({ limits: { ...TEST_LIMITS, bytesAtOnce: 256 * KIB, stallMs } }),
    });
  bridge = await bridgeThatWaits(600_000);
  impatient = await bridgeThatWaits(200);
});
afterAll(async () => {
  await bridge.close();
  await impatient.close();
  await controlPlane.close();
});

/** Starts sending a body of a megabyte. */
function begin({ url }: TestBridge, path: string, type: string, start: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': KIB * KIB };
  const sending = request(`${url}${path}`, { method: 'POST', headers });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).once('error', reject);
  });
  sending.write(start);
  return { sending, answer };
}

describe('the budget of incoming bodies', () => {
  it.each([
    [EXECUTIONS, 'application/json'],
    ['/v1/traces', 'application/x-protobuf'],
  ])('is released by idle senders to %s', async (path, type) => {
    const { sending, answer } = begin(impatient, path, type, ' ');
    const { statusCode, headers } = await answer;
    expect(statusCode).toBe(408);
    expect(headers.connection).toBe('close');
    sending.destroy();
  });

  it('refuses a tenant’s second stream until the first ends', async () => {
    const line = `{"input":"${'x'.repeat(100 * KIB)}`;
    const first = begin(bridge, EXECUTIONS, 'application/x-ndjson', line);
    await first.answer;
    const second = begin(bridge, EXECUTIONS, 'application/x-ndjson', line);
    const refused: unknown = JSON.parse(await text(await second.answer));
    expect(refused).toMatchObject({ index: 0, ok: false, status: 503, error: 'Too much is being sent at once: retry' });
    first.sending.destroy();
    await expect(first.answer.then(text)).rejects.toThrow();
    // This client learns of the end before the bridge does.
    for (let chunk = ''; !chunk.includes('VALIDATION_ERROR');) {
      const again = begin(bridge, EXECUTIONS, 'application/x-ndjson', '{\n');
      const answer = await again.answer;
      chunk = String(await new Promise((resolve) => answer.once('data', resolve)));
      again.sending.destroy();
    }
  });
});

const send = (url: string, bearer: string, sent: ReturnType<typeof span>): Promise<Response> =>
  fetch(`${url}/v1/traces?project=trace`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify(exportOf(sent)),
  });
const rootOf = (traceId: string): ReturnType<typeof span> => span({ 'http.request.method': 'POST' }, { traceId });

describe('the budget of a trace that is sealed', () => {
  it('is that of incoming bodies', async () => {
    const traceId = 'c'.repeat(32);
    const bundleJson = JSON.stringify({ certificateHash: `sha256:${'a'.repeat(64)}`, pad: 'x'.repeat(20 * KIB) });
    await bridge.store.traces.keep(tenant.tenantId, traceId, [
      { spanId: 'd'.repeat(16), parentSpanId: null, startedAt: '2026-01-02T03:04:05.678901234Z', bundleJson },
    ]);
    const other = begin(bridge, EXECUTIONS, 'application/x-ndjson', `{"input":"${'x'.repeat(100 * KIB)}`);
    await other.answer;
    const refused = await send(bridge.url, key, rootOf(traceId));
    other.sending.destroy();
    await expect(other.answer.then(text)).rejects.toThrow();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toEqual({ error: 'Too much is being sent at once: retry' });
  });
});

describe('the places of exports in progress', () => {
  it('are not all for one tenant whose exports take long', async () => {
    const progress = new EventEmitter();
    let settled = 0;
    const oneMore = (): void => {
      settled += 1;
      progress.emit('more');
    };
    // It never answers.
    const silent = createServer(oneMore).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const crowded = await startTestBridge({ nodeUrl: `http://127.0.0.1:${port}`, controlPlaneUrl: controlPlane.url });
    try {
      const busy = controlPlane.newKey(controlPlane.newTenant());
      const exports = Array.from({ length: 8 }, async () => {
        const { status } = await send(crowded.url, busy, span());
        oneMore();
        return status;
      });
      while (settled < exports.length) await once(progress, 'more');
      expect((await send(crowded.url, key, rootOf('e'.repeat(32)))).status).toBe(200);
      silent.closeAllConnections();
      expect(await Promise.all(exports)).toEqual(exports.map(() => 503));
    } finally {
      silent.close();
      await crowded.close();
    }
  });
});
