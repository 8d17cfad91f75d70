import { randomBytes } from 'node:crypto';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { countedTestDatabase, postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportOf, GEN_AI, span } from './otlp-json.js';
import { startNodeProcess, type NodeProcess } from './service-process.js';
import { SERVICE_TOKEN, startStubControlPlane, type StubControlPlane, type StubTenant } from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

let controlPlane: StubControlPlane;
let node: NodeProcess;
let database: TestDatabase;
let one: TestBridge;
let two: TestBridge;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  node = await startNodeProcess(controlPlane.url, SERVICE_TOKEN);
  database = await postgresTestDatabase();
  const shared = { nodeUrl: node.url, controlPlaneUrl: controlPlane.url, databaseUrl: database.url };
  [one, two] = await Promise.all([startTestBridge(shared), startTestBridge(shared)]);
});
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  await database.remove();
  await node.stop();
  node.remove();
  await controlPlane.close();
});

const newTraceId = (): string => randomBytes(16).toString('hex');

/** The root span, which is not a model call. */
const rootOf = (traceId: string): JsonObject => span({ 'http.request.method': 'POST' }, { traceId });
const callOf = (traceId: string, members: JsonObject = {}): JsonObject =>
  span(GEN_AI, { traceId, parentSpanId: randomBytes(8).toString('hex'), ...members });

async function send(bridge: TestBridge, bearer: string, ...spans: readonly JsonObject[]): Promise<JsonObject> {
  const response = await fetch(`${bridge.url}/v1/traces?project=trace`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify(exportOf(...spans)),
  });
  const body: unknown = await response.json();
  expect(response.status).toBe(200);
  return isJsonObject(body) ? body : {};
}

interface SealedTrace {
  readonly projectHash: string;
  readonly title: string;
}

/** The projects of a trace, the newest first. */
async function sealed({ tenantId }: StubTenant, traceId: string): Promise<readonly SealedTrace[]> {
  const ingests = await one.store.ingests.newest(tenantId, 200, 'certified');
  return ingests
    .filter(({ executionId }) => executionId === `otel:${traceId}`)
    .map(({ certificateHash, model }) => ({ projectHash: certificateHash ?? '', title: model ?? '' }));
}

/** The steps of a registered project whose hash and steps the node verifies. */
async function verifiedSteps(projectHash: string): Promise<number> {
  const url = `${node.url}/v1/project-bundle/public?project_hash=${encodeURIComponent(projectHash)}`;
  const found: unknown = await (await fetch(url)).json();
  const answer: unknown = await (
    await fetch(`${node.url}/v1/project-bundle/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bundle: found }),
    })
  ).json();
  expect(answer).toMatchObject({ ok: true, projectHash: { valid: true } });
  return isJsonObject(answer) ? Number(member(answer, 'totalSteps')) : 0;
}

function newCaller(): { readonly tenant: StubTenant; readonly key: string } {
  const tenant = controlPlane.newTenant();
  return { tenant, key: controlPlane.newKey(tenant) };
}

describe('a trace that comes in parts', () => {
  it('is sealed whole when its root span arrives later', async () => {
    const { tenant, key } = newCaller();
    const traceId = newTraceId();
    await send(one, key, callOf(traceId), callOf(traceId));
    expect(await sealed(tenant, traceId)).toEqual([]);
    const last = [callOf(traceId), rootOf(traceId)];
    expect(await send(one, key, ...last)).toEqual({});
    const [project, ...more] = await sealed(tenant, traceId);
    expect(more).toEqual([]);
    expect(project?.title).toBe('trace of 3 calls');
    expect(await verifiedSteps(project?.projectHash ?? '')).toBe(3);
    expect(await send(one, key, ...last)).toEqual({});
    expect(new Set((await sealed(tenant, traceId)).map(({ projectHash }) => projectHash)).size).toBe(1);
  });

  it('is sealed whole from parts at two instances', async () => {
    const { tenant, key } = newCaller();
    const traceId = newTraceId();
    await send(one, key, callOf(traceId));
    await send(two, key, callOf(traceId), rootOf(traceId));
    const [project] = await sealed(tenant, traceId);
    expect(await verifiedSteps(project?.projectHash ?? '')).toBe(2);
  });

  it('is sealed again with a late call', async () => {
    const { tenant, key } = newCaller();
    const traceId = newTraceId();
    await send(one, key, callOf(traceId), rootOf(traceId));
    await send(two, key, callOf(traceId));
    const titles = (await sealed(tenant, traceId)).map(({ title }) => title);
    expect(titles).toEqual(['trace of 2 calls', 'trace of 1 call']);
  });

  it('is sealed whole in any order at two instances', async () => {
    const { tenant, key } = newCaller();
    const traceId = newTraceId();
    const parts = Array.from({ length: 6 }, (_, at) => (at === 2 ? rootOf(traceId) : callOf(traceId)));
    await Promise.all(parts.map((part, at) => send(at % 2 === 0 ? one : two, key, part)));
    const titles = (await sealed(tenant, traceId)).map(({ title }) => title);
    expect(titles).toContain('trace of 5 calls');
  });

  it('holds no calls of another account', async () => {
    const [ours, theirs] = [newCaller(), newCaller()];
    const traceId = newTraceId();
    await send(one, theirs.key, callOf(traceId));
    await send(one, ours.key, callOf(traceId), rootOf(traceId));
    expect((await sealed(ours.tenant, traceId)).map(({ title }) => title)).toEqual(['trace of 1 call']);
    expect(await sealed(theirs.tenant, traceId)).toEqual([]);
  });

  it('is not sealed with more certificates than may be in memory', async () => {
    const { tenant, key } = newCaller();
    const traceId = newTraceId();
    await send(one, key, callOf(traceId));
    const bundleJson = JSON.stringify({ certificateHash: `sha256:${'a'.repeat(64)}`, pad: 'x'.repeat(1024 * 1024) });
    const large = Array.from({ length: 16 }, () => ({
      ...{ spanId: randomBytes(8).toString('hex'), parentSpanId: null, bundleJson },
      startedAt: '2026-01-02T03:04:05.678901234Z',
    }));
    await one.store.traces.keep(tenant.tenantId, traceId, large);
    expect(await send(one, key, rootOf(traceId))).toEqual({
      partialSuccess: {
        rejectedSpans: '0',
        errorMessage: 'trace not sealed: its certificates have more than 16777216 bytes',
      },
    });
    expect(await sealed(tenant, traceId)).toEqual([]);
  });

  it('keeps its certificates when sealing is forbidden', async () => {
    const { tenant } = newCaller();
    const key = controlPlane.newKey(tenant, ['certify', 'ingest']);
    const traceId = newTraceId();
    const answer = await send(one, key, callOf(traceId), rootOf(traceId));
    expect(answer).toEqual({
      partialSuccess: { rejectedSpans: '0', errorMessage: expect.stringMatching(/^trace not sealed: FORBIDDEN/) },
    });
    const [refused] = await one.store.ingests.newest(tenant.tenantId, 1, 'refused');
    expect(refused).toMatchObject({ status: 403, executionId: `otel:${traceId}` });
    expect(await one.store.ingests.newest(tenant.tenantId, 5, 'certified')).toHaveLength(1);
  });

  it('is not kept as a root without calls beyond the limit of an hour', async () => {
    const [{ tenant, key }, other] = [newCaller(), newCaller()];
    const hour = new Date().toISOString().slice(0, 13);
    await one.store.limits.takeRoots(tenant.tenantId, hour, 99_999, 100_000);
    // The hour may end before the export arrives.
    const nextHour = new Date(Date.now() + 3_600_000).toISOString().slice(0, 13);
    await one.store.limits.takeRoots(tenant.tenantId, nextHour, 99_999, 100_000);
    const [called, first, second] = [newTraceId(), newTraceId(), newTraceId()];
    await send(one, key, callOf(called));
    const errorMessage = '1 root span of traces without calls not kept: at most 100000 per hour are';
    const answer = await send(two, key, rootOf(first), rootOf(second), rootOf(called));
    expect(answer).toEqual({ partialSuccess: { rejectedSpans: '0', errorMessage } });
    expect((await sealed(tenant, called)).map(({ title }) => title)).toEqual(['trace of 1 call']);
    for (const traceId of [first, second]) await send(one, key, callOf(traceId));
    expect([await sealed(tenant, first), await sealed(tenant, second)]).toEqual([[expect.anything()], []]);
    expect(await send(one, other.key, rootOf(second))).toEqual({});
  });

  it('takes few statements for traces without calls', async () => {
    const counted = await countedTestDatabase();
    const shared = { nodeUrl: node.url, controlPlaneUrl: controlPlane.url, databaseUrl: counted.url };
    const bridge = await startTestBridge(shared);
    const { key } = newCaller();
    counted.work();
    const roots = Array.from({ length: 1000 }, () => rootOf(newTraceId()));
    expect(await send(bridge, key, ...roots)).toEqual({});
    const { statements } = counted.work();
    await bridge.close();
    await counted.remove();
    expect(statements).toBeLessThan(20);
  });
});
