import { randomBytes } from 'node:crypto';
import { describedAnswers, documentPath, type DescribedAnswers, type MetAnswer } from '@cer/http-service/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bridgeRoutes } from '../src/app.js';
import { readAssets } from '../src/web/assets.js';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { exportOf, span } from './otlp-json.js';
import type { NodeProcess } from './service-process.js';
import { handoffToken, type StubControlPlane } from './stub-control-plane.js';
import type { TestBridge } from './test-bridge.js';

// Compares described answers with real ones; a member without a schema is a fault too.

let services: BridgeBesideNode;
let controlPlane: StubControlPlane;
let node: NodeProcess;
let bridge: TestBridge;
let document: DescribedAnswers;
const met: MetAnswer[] = [];

interface Question {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly query?: string;
}

async function visit(route: string, { headers = {}, body, query = '' }: Question = {}): Promise<Response> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(`${bridge.url}${path}${query}`, {
    method,
    redirect: 'manual',
    headers: { origin: bridge.url, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  if (type === 'text/event-stream') await answer.body?.cancel();
  else {
    const text = await answer.clone().text();
    met.push({ route, status: answer.status, type, body: type === 'application/json' ? JSON.parse(text) : text });
    return answer;
  }
  met.push({ route, status: answer.status, type, body: null });
  return answer;
}

const EXECUTIONS = 'POST /api/v1/ingest/executions';
const TRACES = 'POST /v1/traces';
const HANDOFF = 'POST /api/v1/auth/handoff';

beforeAll(async () => {
  services = await startBridgeBesideNode();
  ({ controlPlane, node, bridge } = services);
  document = describedAnswers(await (await visit('GET /openapi.json')).text());
  const tenant = controlPlane.newTenant();
  const headers = { authorization: `Bearer ${controlPlane.newKey(tenant)}` };
  const executionId = `journey-${randomBytes(4).toString('hex')}`;
  const execution = { provider: 'p', model: 'm', input: 'i', output: 'o' };
  for (const body of [
    execution,
    { ...execution, executionId },
    { ...execution, executionId, model: 'other' },
    {},
    '{',
  ]) {
    await visit(EXECUTIONS, { headers, body });
  }
  await visit(EXECUTIONS, { headers, body: { executions: [execution] } });
  await visit(EXECUTIONS, { headers, body: { executions: [execution, {}] } });
  const lines = { ...headers, 'content-type': 'application/x-ndjson' };
  await visit(EXECUTIONS, { headers: lines, body: `${JSON.stringify(execution)}\n{}\n` });
  await visit(EXECUTIONS, { headers: { ...headers, 'content-type': 'text/plain' }, body: 'text' });
  await visit(EXECUTIONS, { body: execution });
  await visit(EXECUTIONS, {
    headers: { authorization: `Bearer ${controlPlane.newKey(tenant, ['ingest'])}` },
    body: {},
  });
  await visit(TRACES, { headers, body: exportOf(span()) });
  await visit(TRACES, {
    headers,
    body: exportOf(span({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' })),
  });
  await visit(TRACES, { headers, body: exportOf(span()), query: '?content=none' });
  await visit(TRACES, { headers, body: 'x'.repeat(1024 * 1024 + 1) });
  await visit(TRACES, { headers: { ...headers, 'content-type': 'application/x-protobuf' }, body: '' });
  await visit(TRACES, { body: exportOf(span()) });
  const user = controlPlane.newUser(tenant);
  const tokenOf = (userId: string): string =>
    handoffToken(controlPlane, { tenantId: tenant.tenantId, userId, audience: new URL(bridge.url).host });
  const signedIn = await visit(HANDOFF, { body: { token: tokenOf(user.id) } });
  const session = { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' };
  await visit(HANDOFF, { headers: session, body: { token: tokenOf(controlPlane.newUser(tenant).id) } });
  await visit(HANDOFF, { body: {} });
  await visit(HANDOFF, { body: '{' });
  await visit(HANDOFF, { headers: { origin: 'https://elsewhere.example' }, body: {} });
  for (const asked of [{ headers: session }, {}]) {
    for (const path of ['/', '/send', '/events', '/api/v1/auth/session']) await visit(`GET ${path}`, asked);
  }
  await visit('POST /api/v1/auth/logout', { headers: { ...session, origin: 'https://elsewhere.example' } });
  await visit('POST /api/v1/auth/logout', { headers: session });
  for (const path of ['/health', '/ready', '/metrics']) await visit(`GET ${path}`);
  await node.stop();
  await visit(EXECUTIONS, { headers, body: execution });
  await visit(TRACES, { headers, body: exportOf(span()) });
}, 120_000);
afterAll(() => services.close());

describe('GET /openapi.json of the bridge', () => {
  it('describes every route but the files of pages', () => {
    const assets = readAssets(bridge.deps.assetFolder);
    const files = new Set(assets.routes.map(({ path }) => path));
    const routes = bridgeRoutes(bridge.deps, assets).filter(({ path }) => !files.has(path));
    const described = [...document.operations.keys()];
    expect(described.toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${documentPath(path)}`).toSorted(),
    );
  });

  it('matches every answer of a journey', () => {
    for (const answer of met) {
      expect([answer.route, answer.status, document.faultsOf(answer)]).toEqual([answer.route, answer.status, []]);
    }
    expect(new Set(met.map(({ status }) => status))).toEqual(
      new Set([200, 204, 207, 303, 400, 401, 403, 409, 413, 415, 503]),
    );
  });

  it('is met by the journey in every answer with 200', () => {
    const seen = new Set(met.filter(({ status }) => status === 200).map(({ route }) => route));
    const wanted = [...document.operations].flatMap(([route, statuses]) => (statuses.includes(200) ? [route] : []));
    expect(wanted.filter((route) => !seen.has(route))).toEqual([]);
  });

  it('detects additional and missing members', () => {
    const health = { route: 'GET /health', status: 200, type: 'application/json' };
    expect(document.faultsOf({ ...health, body: { status: 'ok' } })).toEqual([]);
    expect(document.faultsOf({ ...health, body: { status: 'ok', more: 1 } })).not.toEqual([]);
    expect(document.faultsOf({ ...health, body: {} })).not.toEqual([]);
  });
});
