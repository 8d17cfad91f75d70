import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { connectRaw } from '@cer/http-service/testing';

import { generateApiKey } from '@cer/control-plane';
import { nodeRoutes } from '../src/start/app.js';
import { ask, at, type Question } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

const KEYED: readonly (readonly [path: string, scope: string])[] = [
  ['/v1/cer/ai/certify', 'certify'],
  ['/v1/cer/ai/certify-batch', 'certify'],
  ['/v1/cer/ai/create', 'certify'],
  ['/api/attest', 'certify'],
  ['/api/attest-batch', 'certify'],
  ['/v1/project-bundle/register', 'register'],
  ['/api/render', 'render'],
  ['/verify', 'render'],
  ['/v1/webhooks', 'webhooks'],
  ...['test', 'rotate', 'remove', 'deliveries/:delivery/send'].map(
    (act) => [`/v1/webhooks/:id/${act}`, 'webhooks'] as const,
  ),
];

/** Routes that read what belongs to a tenant, with a key. */
const OWNERS: readonly string[] = [
  '/v1/records',
  '/v1/records/certificate',
  '/v1/records/count',
  '/v1/records/export',
  '/v1/coverage',
  '/v1/settings',
  '/v1/log/completeness',
  '/v1/webhooks',
  '/v1/webhooks/:id/deliveries',
];

const ADMIN: readonly (readonly ['get' | 'post', string])[] = [
  ['get', '/v1/admin/audit'],
  ['get', '/v1/admin/alerts/deliveries'],
  ['post', '/v1/admin/alerts/deliveries/:id/send'],
  ['get', '/v1/admin/tenants/:tenant/settings'],
  ['post', '/v1/admin/tenants/:tenant/settings'],
  ['post', '/v1/admin/recertify-batch'],
  ['post', '/v1/admin/key-history'],
  ['post', '/v1/admin/keys/rotate'],
  ['post', '/v1/admin/keys/:kid/revoke'],
  ...['records', 'projects'].flatMap((kept) =>
    ['hide', 'unhide', 'delete', 'hold', 'release'].map((act) => ['post', `/v1/admin/${kept}/:hash/${act}`] as const),
  ),
];

const KEYLESS: readonly (readonly ['get' | 'post', string])[] = [
  ['post', '/v1/cer/verify'],
  ['post', '/v1/project-bundle/verify'],
  ['get', '/v1/cer/public'],
  ['get', '/api/public-cer-proof'],
  ['get', '/v1/resolve/cer/x'],
  ['get', '/v1/project-bundle/public'],
  ['get', '/.well-known/svc-node.json'],
  ['get', '/'],
  ['get', '/version'],
  ['get', '/health'],
  ['get', '/ready'],
  ['get', '/metrics'],
  ['get', '/.well-known/svc-key-history.json'],
  ['get', '/.well-known/svc-log.json'],
  ['get', '/log/checkpoint'],
  ['get', '/log/tile/:path+'],
  ['get', '/log/epochs/checkpoint'],
  ['get', '/log/epochs/tile/:path+'],
  ['get', '/v1/log/proof'],
  ['get', '/openapi.json'],
  ['get', '/docs'],
];

/** Closed in production, so it is neither keyed nor open to web pages. */
const CLOSED = 'post /render';

const MISSING = 'Authorization: is missing: send the header "Authorization: Bearer <key>"';
const NOT_BEARER = 'Authorization: must be Bearer, a space and the key';
const NOT_A_KEY = 'the key does not have the form of an API key: cer_live_ and 43 letters, digits, - or _';
const UNKNOWN = 'the API key is unknown or revoked';

describe('the order of refusals', () => {
  // Every later fault is present too, so that only the order decides.
  const faulty: Question = { body: 'x'.repeat(300_000), headers: { 'Content-Type': 'text/plain' } };

  it.each(KEYED)('is 404, 405, 401, 403, 415, 413, 400 on %s', async (path, scope) => {
    const others = ['certify', 'register', 'render', 'ingest'].filter((name) => name !== scope);
    const weak = await node.newKey(randomUUID(), others);
    expect((await ask(node, 'post', `${path}/`, faulty)).status).toBe(404);
    expect((await ask(node, 'post', path.toUpperCase(), faulty)).status).toBe(404);
    const wrongMethod = await ask(node, 'put', path, faulty);
    expect([wrongMethod.status, at(wrongMethod.body, 'error'), wrongMethod.headers['allow']]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      OWNERS.includes(path) ? expect.stringMatching(/GET.*POST/) : 'POST',
    ]);
    expect((await ask(node, 'post', path, faulty)).status).toBe(401);
    expect((await ask(node, 'post', path, { ...faulty, key: weak })).status).toBe(403);
    expect((await ask(node, 'post', path, { ...faulty, key })).status).toBe(415);
  });

  it.each(['/v1/cer/ai/certify', '/v1/cer/ai/create', '/api/attest'])('puts 413 before 400 on %s', async (path) => {
    expect((await ask(node, 'post', path, { key, body: 'x'.repeat(300_000) })).status).toBe(413);
    expect((await ask(node, 'post', path, { key, body: 'x' })).status).toBe(400);
  });

  it('puts 400 before 422, and 422 before 409', async () => {
    const known = executionRequest({ executionId: randomUUID() });
    const certify = (body: unknown): ReturnType<typeof ask> => ask(node, 'post', '/v1/cer/ai/certify', { key, body });
    await certify(known);
    const v2 = { ...known, bundleType: 'cer.ai.execution.v2', protocolVersion: '1.2.0' };
    expect((await certify(v2)).status).toBe(400);
    expect((await certify({ ...v2, executionRole: 'advisory' })).status).toBe(422);
    expect((await certify({ ...known, model: 'other' })).status).toBe(409);
  });

  it('requests a body only if needed', async () => {
    const raw = await connectRaw(node.url);
    raw.send('POST /v1/cer/ai/certify HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\n');
    raw.send('Expect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n');
    const answer = await raw.ended();
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).not.toContain('100 Continue');
  });

  it.each([
    ['none', {}, MISSING],
    ['another scheme', { Authorization: 'Basic eDp5' }, NOT_BEARER],
    ['two keys in one', { Authorization: `Bearer ${generateApiKey()}, Bearer ${generateApiKey()}` }, NOT_BEARER],
    ['a malformed key', { Authorization: 'Bearer cer_live_short' }, NOT_A_KEY],
    ['a prototype name', { Authorization: 'Bearer __proto__' }, NOT_A_KEY],
    ['an unknown key', { Authorization: `Bearer ${generateApiKey()}` }, UNKNOWN],
  ])('says in a 401 what is wrong: %s', async (_name, headers: Record<string, string>, message) => {
    const answer = await ask(node, 'post', '/v1/cer/ai/certify', { body: {}, headers });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'UNAUTHORIZED', message, requestId: answer.headers['x-request-id'] });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('answers a revoked key like an unknown one', async () => {
    const name = randomUUID();
    const revoked = await node.newKey(name);
    const { tenantId } = await node.store.tenants.createTenant(name);
    const [known] = await node.store.tenants.listApiKeys(tenantId);
    await node.store.tenants.revokeApiKey(known?.keyId ?? '');
    const answer = await ask(node, 'post', '/v1/cer/ai/create', { key: revoked, body: {} });
    expect([answer.status, at(answer.body, 'message')]).toEqual([401, UNKNOWN]);
  });
});

describe('every response', () => {
  it('has a request id and no-store', async () => {
    const paths = [...KEYED.map(([path]) => ['post', path] as const), ...KEYLESS, ['get', '/nowhere'] as const];
    const ids = new Set<unknown>();
    for (const [method, path] of paths) {
      const { headers } = await ask(node, method, path);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      ids.add(headers['x-request-id']);
      const isKeySet = path === '/.well-known/svc-node.json';
      expect(headers['cache-control']).toMatch(isKeySet ? /max-age=60$/ : /^no-store$/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-powered-by']).toBeUndefined();
    }
    expect(ids.size).toBe(paths.length);
    const own = await ask(node, 'post', '/v1/cer/ai/certify', { headers: { 'X-Request-Id': 'mine-1' } });
    expect([own.headers['x-request-id'], at(own.body, 'requestId')]).toEqual(['mine-1', 'mine-1']);
  });

  it.each(KEYLESS)('allows CORS on public routes: %s %s', async (method, path) => {
    const { headers } = await ask(node, method, path, { headers: { Origin: 'https://page.example' } });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toBe('X-Certificate-Hash, X-Request-Id');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const preflight = await ask(node, 'options', path, {
      headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': method.toUpperCase() },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toBe('Content-Type');
    expect(preflight.headers['access-control-allow-methods']).toContain(method.toUpperCase());
    const refused = await ask(node, 'delete', path);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([405, '*']);
  });

  it.each(KEYED)('has no CORS headers on keyed routes: %s', async (path) => {
    const asked = { headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' } };
    for (const answer of [await ask(node, 'post', path, { ...asked, key }), await ask(node, 'options', path, asked)]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
    expect((await ask(node, 'options', path, asked)).status).toBe(405);
  });

  it.each(ADMIN)('is 503 without an admin secret: %s %s', async (method, path) => {
    const concrete = path.replace(':hash', `sha256:${'0'.repeat(64)}`).replace(':kid', 'kid');
    const { status, body, headers } = await ask(node, method, concrete, {
      headers: { Origin: 'https://page.example' },
    });
    expect([status, at(body, 'error')]).toEqual([503, 'ADMIN_NOT_CONFIGURED']);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it.each(OWNERS)('is 401 without a key: get %s', async (path) => {
    const { status, headers } = await ask(node, 'get', path, { headers: { Origin: 'https://page.example' } });
    expect(status).toBe(401);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('covers every route', () => {
    const held = [
      ...KEYED.map(([path]) => `post ${path}`),
      ...[...KEYLESS, ...ADMIN].map(([method, path]) => `${method} ${path}`),
      ...OWNERS.map((path) => `get ${path}`),
    ];
    const routes = nodeRoutes(node.deps).map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    expect([CLOSED, ...held].map((route) => route.replace('/cer/x', '/cer/:hash')).toSorted()).toEqual(
      routes.toSorted(),
    );
  });

  it('to HEAD equals GET without a body', async () => {
    for (const path of ['/', '/.well-known/svc-node.json', '/v1/cer/public']) {
      const [head, get] = [await ask(node, 'head', path), await ask(node, 'get', path)];
      expect([head.status, head.text]).toEqual([get.status, '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    }
  });
});

describe('unknown paths', () => {
  it.each([
    ['/v1/cer/ai/certify%20', 404],
    ['//v1/cer/public', 404],
    ['/v1/cer/../cer/public', 404],
    ['/__proto__', 404],
    ['/constructor', 404],
    ['/v1/resolve/cer/', 404],
    ['/v1/resolve/cer/a/b', 404],
    ['/v1/resolve/cer/%00', 400],
    ['/v1/resolve/cer/%ff', 404],
    ['/v1/resolve/cer/__proto__', 400],
    [`/${'x'.repeat(8000)}`, 404],
  ])('answer with the standard error: %s', async (path, status) => {
    const raw = await connectRaw(node.url);
    raw.send(`GET ${path} HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n`);
    const answer = await raw.ended();
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/"requestId":"[0-9a-f-]{36}"\}$/);
    expect(answer.length).toBeLessThan(1500);
  });

  it('say where the routes are listed', async () => {
    const { status, body } = await ask(node, 'post', '/v1/certify', { key, body: {} });
    expect([status, body]).toMatchObject([404, { error: 'NOT_FOUND', message: 'path: is not a route: see GET /docs' }]);
  });

  it('answer 431 to oversized headers and keep serving', async () => {
    const raw = await connectRaw(node.url);
    raw.send(`GET /v1/cer/public?execution_id=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: n\r\n\r\n`);
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 431 /);
    expect((await ask(node, 'get', '/health')).status).toBe(200);
  });
});

describe('the render routes without a renderer', () => {
  it.each(['/api/render', '/verify'])('are 503: %s', async (path) => {
    const { status, headers, body } = await ask(node, 'post', path, { key, body: {} });
    expect(status).toBe(503);
    expect(body).toEqual({
      error: 'RENDERER_UNAVAILABLE',
      message: expect.any(String),
      requestId: headers['x-request-id'],
    });
  });
});
