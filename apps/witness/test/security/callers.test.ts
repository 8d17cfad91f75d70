import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceRequest, StreamRequest } from '@cer/http-service';
import { createMetrics, silentLogger } from '@cer/http-service/process';
import { hostileForm, hostileJson, pollutedKinds } from '@cer/http-service/testing';
import { witnessRoutes } from '../../src/app.js';
import { advanceQuota } from '../../src/checkpoints/advance-quota.js';
import { openWitness } from '../../src/store/open-store.js';
import { makeWitness, serveWitness, START, temporaryFolder, type LocalWitness } from '../local-witness.js';

// A witness has no callers with rights: only the signature of a log counts. No credential changes an answer.

const UNKNOWN = '0'.repeat(64);
const ROWS: readonly (readonly [route: string, status: number])[] = [
  ['POST /add-checkpoint', 400],
  ['GET /:hash/checkpoint', 404],
  ['GET /evidence/:hash', 404],
  ['GET /', 200],
  ['GET /health', 200],
  ['GET /ready', 200],
  ['GET /metrics', 200],
];
const SECRET = 'canary-credential-0123456789';
const CALLERS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['anonymous', {}],
  ['API key', { authorization: `Bearer cer_live_${'A'.repeat(43)}` }],
  ['token', { authorization: `Bearer ${SECRET}` }],
  ['admin secret', { 'x-admin-secret': SECRET }],
  ['session', { cookie: `session=${SECRET}` }],
];

const files = temporaryFolder();
let witness: LocalWitness;
beforeAll(async () => {
  await makeWitness(files.path('w.sqlite'));
  witness = await serveWitness(files.path('w.sqlite'), []);
});
afterAll(async () => {
  await witness.close();
  files.remove();
});

describe('the matrix of callers and routes', () => {
  it('has a row for every route', async () => {
    await makeWitness(files.path('routes.sqlite'));
    const { store, key, signer } = await openWitness(files.path('routes.sqlite'));
    const now = (): Date => START;
    const routes = witnessRoutes({
      ...{ store, key, signer, now, logs: new Map(), quota: advanceQuota(now) },
      ...{ logger: silentLogger(), metrics: createMetrics() },
    });
    await store.close();
    expect(ROWS.map(([route]) => route).toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  it('lists its logs without hashing them for each request', async () => {
    await makeWitness(files.path('many.sqlite'));
    const { store, key, signer } = await openWitness(files.path('many.sqlite'));
    const now = (): Date => START;
    let reads = 0;
    const log = (origin: string) => ({
      ...{ origin, requestsPerDay: null },
      get keys() {
        reads += 1;
        return [];
      },
    });
    const origins = Array.from({ length: 50 }, (_, at) => `node-${at}.example/log`);
    const routes = witnessRoutes({
      ...{ store, key, signer, now, quota: advanceQuota(now) },
      ...{ logger: silentLogger(), metrics: createMetrics() },
      logs: new Map(origins.map((origin) => [origin, log(origin)])),
    });
    const list = routes.find(({ path }) => path === '/');
    const request = {} as ServiceRequest & StreamRequest;
    for (let at = 0; at < 3; at += 1) expect((await list?.handler(request))?.body).toContain('node-49.example/log');
    await store.close();
    expect(reads).toBeLessThanOrEqual(origins.length);
  });

  it.each(ROWS)('has the same status for every caller: %s', async (route, status) => {
    const [method = '', path = ''] = route.split(' ');
    const body = method === 'POST' ? { body: 'not a checkpoint' } : {};
    for (const [caller, headers] of CALLERS) {
      const answer = await fetch(witness.url + path.replace(':hash', UNKNOWN), { method, headers, ...body });
      expect([caller, answer.status]).toEqual([caller, status]);
      expect(await answer.text()).not.toContain(SECRET);
    }
  });
});

describe('a hostile request', () => {
  it.each(ROWS)('changes no prototype: %s', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const target = `${path.replace(':hash', '__proto__')}?${hostileForm({})}`;
    for (const text of [hostileJson({ old: 0, checkpoint: {} }), 'old 0\n\n__proto__\n1\nconstructor\n']) {
      const { status } = await fetch(witness.url + target, { method, ...(method === 'POST' && { body: text }) });
      expect(status).toBeLessThan(500);
    }
    expect(pollutedKinds()).toEqual([]);
  });
});
