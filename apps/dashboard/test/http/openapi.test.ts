import { describedAnswers, documentPath, type DescribedAnswers, type MetAnswer } from '@cer/http-service/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { dashboardRoutes } from '../../src/app.js';
import { ASSET_ROUTES } from '../../src/web/assets.js';
import { CALLERS, ROWS, type Row } from '../security/caller-table.js';
import { HOSTILE, startWholeDashboard, type WholeDashboard } from '../security/whole-dashboard.js';
import { OPERATOR_TOKEN, SERVICE_TOKEN } from '../test-dashboard.js';

// Compares described answers with real ones; a member without a schema is a fault too.

let whole: WholeDashboard;
let document: DescribedAnswers;
const met: MetAnswer[] = [];

function note(route: string, { status, headers, text }: Response): void {
  const fields: Readonly<Record<string, unknown>> = headers;
  const { 'content-type': given } = fields;
  const type = typeof given === 'string' ? (given.split(';')[0] ?? '') : '';
  const [method = '', path = ''] = route.split(' ');
  const body: unknown = type === 'application/json' ? JSON.parse(text) : text;
  met.push({ route: `${method} ${documentPath(path)}`, status, type, body });
}

/** Asks a route of services as itself, and with bodies that it refuses. */
async function asService(path: string, bodies: readonly (object | string)[]): Promise<void> {
  for (const body of bodies) {
    const answer = await request(whole.dashboard.app)
      .post(path)
      .set({ Authorization: `Bearer ${SERVICE_TOKEN}`, 'Content-Type': 'application/json' })
      .send(typeof body === 'string' ? body : JSON.stringify(body));
    note(`POST ${path}`, answer);
  }
}

beforeAll(async () => {
  whole = await startWholeDashboard();
  const { app, store, tenant, owner } = whole.dashboard;
  const own = await request(app).get('/openapi.json');
  document = describedAnswers(own.text);
  const { tenantId } = tenant;
  const key = (await store.apiKeys.list(tenantId, null, 50))[0];
  if (key === undefined) throw new Error('the account has no key');
  const keyHash = 'a'.repeat(64);
  await store.apiKeys.create({ tenantId, name: 'k', scopes: ['certify'], keyHash, prefix: 'p' }, 'test');
  const session = { tenantId, sub: owner.userId };
  const usage = { reportId: 'report-of-openapi', items: [{ tenantId, kind: 'certify', count: 1 }] };
  await store.tenants.setSettings(
    tenantId,
    { ...tenant.settings, publish: { ...tenant.settings.publish, metadata: ['a'] }, retentionDays: 7 },
    'test',
  );
  await asService('/internal/v1/keys/introspect', [{ keyHash }, { keyHash: 'b'.repeat(64) }, {}, '{', '[]']);
  await asService('/internal/v1/sessions/introspect', [session, { ...session, sub: 'none' }, {}]);
  await asService('/internal/v1/usage', [usage, usage, { ...usage, items: [] }, 'x'.repeat(300 * 1024)]);
  for (const query of ['', '?format=otlp', '?limit=0', '?after=1&limit=2']) {
    const answer = await request(app)
      .get(`/v1/operator/activity${query}`)
      .set('Authorization', `Bearer ${OPERATOR_TOKEN}`);
    note('GET /v1/operator/activity', answer);
  }
  // A form of another type, and one that is not text.
  for (const [type, body] of [
    ['text/plain', 'x'],
    ['application/x-www-form-urlencoded', 'email=%ff'],
    ['application/x-www-form-urlencoded', 'x'.repeat(70_000)],
  ] as const) {
    note('POST /sign-in', await request(app).post('/sign-in').set('Content-Type', type).send(body));
  }
  const asked = ROWS.filter(({ route }) => !route.endsWith('/sign-out'));
  for (const row of asked) {
    for (const caller of CALLERS) note(row.route, await whole.send(row, caller));
  }
  const withQuery = (row: Row): Row => ({
    ...row,
    path: (of) => `${row.path?.(of) ?? row.route.split(' ')[1] ?? ''}?after=x&limit=x&cursor=x&before=x&days=x`,
  });
  for (const row of asked) {
    note(row.route, await whole.send(row.route.startsWith('GET') ? withQuery(row) : row, 'owner', HOSTILE));
  }
  for (const row of ROWS.filter(({ route }) => route.endsWith('/sign-out')))
    note(row.route, await whole.send(row, 'owner'));
}, 120_000);
afterAll(() => whole.close());

describe('GET /openapi.json of the dashboard', () => {
  it('describes every route but the files of pages', () => {
    const files = new Set(ASSET_ROUTES.map(({ path }) => path));
    const routes = dashboardRoutes(whole.dashboard.deps).filter(({ path }) => !files.has(path));
    expect([...document.operations.keys()].toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${documentPath(path)}`).toSorted(),
    );
  });

  it('matches every answer to every caller', () => {
    const faults = met.flatMap((answer) =>
      document.faultsOf(answer).map((fault) => `${answer.route} ${answer.status}: ${fault}`),
    );
    expect([...new Set(faults)]).toEqual([]);
    expect(new Set(met.map(({ status }) => status))).toEqual(
      new Set([200, 303, 400, 401, 403, 404, 410, 413, 415, 422, 503]),
    );
  });

  it('is met in every route', () => {
    const seen = new Set(met.map(({ route }) => route));
    expect([...document.operations.keys()].filter((route) => !seen.has(route))).toEqual([]);
  });

  it('names the fields of forms', async () => {
    const answer = await request(whole.dashboard.app).get('/openapi.json');
    expect(JSON.parse(answer.text)).toMatchObject({
      paths: {
        '/keys': {
          post: {
            requestBody: {
              content: {
                'application/x-www-form-urlencoded': {
                  schema: { required: ['form_token'], properties: { name: { type: 'string' } } },
                },
              },
            },
          },
        },
      },
    });
  });

  it('detects additional and missing members', () => {
    const health = { route: 'GET /health', status: 200, type: 'application/json' };
    expect(document.faultsOf({ ...health, body: { status: 'ok' } })).toEqual([]);
    expect(document.faultsOf({ ...health, body: { status: 'ok', more: 1 } })).not.toEqual([]);
    expect(document.faultsOf({ ...health, body: {} })).not.toEqual([]);
  });
});
