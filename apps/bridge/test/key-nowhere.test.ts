import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { startBridgeBesideNode, type BridgeBesideNode } from './bridge-beside-node.js';
import { exportOf, GEN_AI, span } from './otlp-json.js';
import type { NodeProcess } from './service-process.js';
import { handoffToken, type StubControlPlane, type StubTenant } from './stub-control-plane.js';
import { sendHandoff, startTestBridge, TEST_LIMITS, type TestBridge } from './test-bridge.js';

let services: BridgeBesideNode;
let controlPlane: StubControlPlane;
let node: NodeProcess;
let bridge: TestBridge;
let lonely: TestBridge;
let tenant: StubTenant;
let key: string;

beforeAll(async () => {
  services = await startBridgeBesideNode();
  ({ controlPlane, node, bridge } = services);
  lonely = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
  tenant = controlPlane.newTenant();
  key = controlPlane.newKey(tenant);
});
afterAll(async () => {
  await lonely.close();
  await services.close();
});

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/x-protobuf';
const EXPORT = JSON.stringify(exportOf(span()));
const REFUSED_EXPORT = JSON.stringify(exportOf(span({ ...GEN_AI, 'gen_ai.output.messages': '' })));

interface Sent {
  readonly path: string;
  readonly type?: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly at?: () => TestBridge;
}

const bomb = gzipSync(Buffer.alloc(TEST_LIMITS.otlpUnpackedLimitBytes + 1, 0x20));
const execution = (members: object = {}): string =>
  JSON.stringify({ provider: 'p', model: 'm', input: 'i', output: 'o', ...members });

/** Every kind of answer of the two endpoints to a key. */
const SENT = (): readonly Sent[] => [
  { path: '/v1/traces', body: EXPORT, status: 200 },
  { path: '/v1/traces?project=trace', body: EXPORT, status: 200 },
  { path: '/v1/traces', body: REFUSED_EXPORT, status: 200 },
  { path: '/v1/traces', body: 'broken', status: 400 },
  { path: '/v1/traces', type: PROTOBUF, body: 'broken', status: 400 },
  { path: `/v1/traces?api_key=${key}`, body: EXPORT, status: 400 },
  { path: '/v1/traces', body: EXPORT, headers: { authorization: `Basic ${key}` }, status: 401 },
  { path: '/v1/traces', body: EXPORT, headers: { authorization: `Bearer ${key}${key}` }, status: 401 },
  { path: `/v1/traces/${key}`, body: EXPORT, status: 404 },
  { path: '/v1/traces', body: bomb, headers: { 'content-encoding': 'gzip' }, status: 413 },
  { path: '/v1/traces', type: 'text/plain', body: EXPORT, status: 415 },
  { path: '/v1/traces', body: EXPORT, status: 503, at: () => lonely },
  { path: '/v1/traces', type: PROTOBUF, body: '', status: 200 },
  { path: '/api/v1/ingest/executions', body: execution(), status: 200 },
  { path: '/api/v1/ingest/executions', body: execution({ model: 5 }), status: 400 },
  { path: '/api/v1/ingest/executions', body: '{', status: 400 },
  { path: '/api/v1/ingest/executions', body: `{"executions":[${execution()},{}]}`, status: 207 },
  { path: '/api/v1/ingest/executions', type: 'application/x-ndjson', body: `${execution()}\n{\n`, status: 200 },
  { path: '/api/v1/ingest/executions', body: execution(), status: 503, at: () => lonely },
];

async function said(response: Response): Promise<string> {
  const lines: string[] = [];
  response.headers.forEach((value, name) => lines.push(`${name}: ${value}`));
  return [...lines, await response.text()].join('\n');
}

it('shows no API key in any output or row', async () => {
  const texts = new Map<string, string>();
  for (const { path, type = JSON_TYPE, body, headers = {}, status, at = () => bridge } of SENT()) {
    const response = await fetch(at().url + path, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${key}`, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    expect([path, response.status]).toEqual([path, status]);
    texts.set(`${status} of ${path} ${type}`, await said(response));
  }
  const user = controlPlane.newUser(tenant);
  for (const { url, store } of [bridge, lonely]) {
    const token = handoffToken(controlPlane, {
      tenantId: tenant.tenantId,
      userId: user.id,
      audience: new URL(url).host,
    });
    const signedIn = await sendHandoff(url, token);
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    texts.set(`sign-in at ${url}`, await said(signedIn));
    expect(await store.ingests.newest(tenant.tenantId, 1, 'refused')).toHaveLength(1);
    for (const path of ['/', '/send', '/no-such-page', '/api/v1/auth/session', '/metrics', '/ready']) {
      const page = await fetch(url + path, { headers: { cookie, accept: 'text/html' } });
      texts.set(`${url}${path}`, await said(page));
    }
    const events = await fetch(`${url}/events`, { headers: { cookie } });
    const first = await events.body?.getReader().read();
    texts.set(`${url}/events`, Buffer.from(first?.value ?? []).toString('utf8'));
  }
  for (const { databaseUrl, log } of [bridge, lonely]) {
    const file = databaseUrl.replace('sqlite:', '');
    texts.set(`rows of ${file}`, [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join(''));
    texts.set(`log beside ${file}`, log.join('\n'));
  }
  texts.set('output of the node', node.output());

  expect(texts.get(`${bridge.url}/`)).toContain(tenant.tenantId);
  const secret = key.slice('cer_live_'.length);
  const holders = [...texts].flatMap(([name, text]) => (text.includes(secret) ? [name] : []));
  expect(holders).toEqual([]);
});
