import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { createMetrics, silentLogger } from '@cer/http-service/process';
import { chartIngressOf, hostileForm, pollutedKinds, specifiedRoutes } from '@cer/http-service/testing';
import { testKeySet } from '@cer/keys/testing';
import { verifierRoutes } from '../../src/app.js';
import { loadWebBuild } from '../../src/pages/web-build.js';
import { createLargeCheck } from '../../src/record/large-check.js';
import { connectToNode } from '../../src/record/node-client.js';
import { hashOf, lookupAnswer, plain } from '../records.js';
import { certificatePath, closed, KEY_SET_PATH, listening } from '../stub-node.js';
import {
  CHECK_PROGRAM,
  PUBLIC_URL,
  startVerifier,
  WEB_BUILD_FOLDER,
  type VerifierUnderTest,
} from '../verifier-under-test.js';

// Every page of the verifier is public: no credential changes an answer, is repeated in one, or reaches the node.

const SECRET = 'canary-credential-0123456789';
const CREDENTIALS: Readonly<Record<string, string>> = {
  authorization: `Bearer ${SECRET}`,
  cookie: `__Host-dashboard_session=${SECRET}`,
  'x-admin-secret': SECRET,
  'x-forwarded-for': SECRET,
  'x-forwarded-host': `${SECRET}.example`,
  'x-forwarded-proto': SECRET,
  forwarded: `host=${SECRET}.example`,
  origin: `https://${SECRET}.example`,
  referer: `https://${SECRET}.example/`,
};

let node: Server;
let verifier: VerifierUnderTest;
let hash: string;
let assetName: string;
const arrived: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  const record = await plain();
  hash = hashOf(record);
  const keySet = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
  const answers = new Map<string, unknown>([
    [KEY_SET_PATH, keySet],
    [certificatePath(hash), lookupAnswer(record)],
  ]);
  node = createServer(({ headers, url = '' }, response) => {
    arrived.push(headers);
    const found = answers.get(url);
    const status = found === undefined ? 404 : 200;
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(found ?? { error: 'NOT_FOUND' }));
  });
  verifier = await startVerifier({ nodeUrl: await listening(node) });
  const home = await (await fetch(verifier.url)).text();
  assetName = /\/assets\/([^"]+)"/.exec(home)?.[1] ?? '';
});
afterAll(async () => {
  await verifier.close();
  await closed(node);
});

const nodeOfNoAddress = connectToNode({ nodeUrl: 'http://127.0.0.1:9', timeoutMs: 1, now: () => new Date() });
const ROUTES = verifierRoutes({
  node: nodeOfNoAddress,
  checkLarge: createLargeCheck(CHECK_PROGRAM),
  build: loadWebBuild(WEB_BUILD_FOLDER),
  publicUrl: PUBLIC_URL,
  publicNodeUrl: PUBLIC_URL,
  rateLimitPerMinute: 100_000,
  logger: silentLogger(),
  metrics: createMetrics(),
  now: () => new Date(),
}).map(({ method, path }) => [method, path] as const);

/** Without what differs from answer to answer: times and ids of requests. */
const lasting = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2} \w+ \d{4}[^<"]*UTC|[0-9a-f-]{36}/g, '');

async function answerTo(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string; headers: string }> {
  const target = path.replace(':name', assetName).replaceAll(/:\w+/g, encodeURIComponent(hash));
  const body = method === 'POST' ? { body: new URLSearchParams({ q: hash }) } : {};
  const answer = await fetch(verifier.url + target, { method, headers, redirect: 'manual', ...body });
  const lines: string[] = [];
  answer.headers.forEach((value, name) => lines.push(`${name}: ${value}`));
  return { status: answer.status, text: await answer.text(), headers: lines.join('\n') };
}

describe('every route of the verifier', () => {
  it('is among those that are tested', () => {
    expect(ROUTES.length).toBeGreaterThan(15);
    expect(ROUTES.map(([method, path]) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([...specifiedRoutes('verifier')]),
    );
    expect(specifiedRoutes('verifier').length).toBeGreaterThan(1);
  });

  it('is reached through the chart but for metrics', () => {
    const routes = ROUTES.map(([, path]) => ({ path }));
    expect(chartIngressOf('verifier', routes)).toEqual({ closed: ['/metrics'], unused: [] });
  });

  it.each(ROUTES)('ignores credentials and forwarded addresses: %s %s', async (method, path) => {
    const [plainly, trying] = [await answerTo(method, path, {}), await answerTo(method, path, CREDENTIALS)];
    expect(plainly.status).toBeLessThan(500);
    expect(trying.status).toBe(plainly.status);
    if (path !== '/metrics') expect(lasting(trying.text)).toBe(lasting(plainly.text));
    expect(`${trying.text}${trying.headers}`).not.toContain(SECRET);
    expect(trying.headers).not.toContain('set-cookie');
  });

  it.each(ROUTES)('changes no prototype: %s %s', async (method, path) => {
    const target = path.replace(':name', assetName).replaceAll(/:\w+/g, '__proto__');
    const fields = hostileForm({ q: '__proto__' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = method === 'POST' ? { headers, body: fields } : {};
    const { status } = await fetch(`${verifier.url}${target}?${fields}`, { method, redirect: 'manual', ...body });
    expect(status).toBeLessThan(500);
    expect(pollutedKinds()).toEqual([]);
  });

  it('has sent no credential to the node', () => {
    expect(arrived.length).toBeGreaterThan(3);
    expect(JSON.stringify(arrived)).not.toContain(SECRET);
  });
});
