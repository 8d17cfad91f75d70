import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerFaults,
  chartIngressOf,
  HOSTILE_FIELDS,
  hostileForm,
  hostileJson,
  namedRows,
  pollutedKinds,
  routesOfRows,
  specifiedRoutes,
} from '@cer/http-service/testing';
import { bridgeRoutes } from '../../src/app.js';
import { readAssets } from '../../src/web/assets.js';
import { handoffToken, SERVICE_TOKEN, startStubControlPlane, type StubControlPlane } from '../stub-control-plane.js';
import { startTestBridge, type TestBridge } from '../test-bridge.js';
import { CALLERS, ROWS, type Caller, type Row } from './caller-table.js';

// Every route of the bridge with every caller. A route without a row fails.

/** Label of an execution of the account; no other caller sees it. */
const CANARY = 'canary-of-the-account';

let controlPlane: StubControlPlane;
let bridge: TestBridge;
let asking: Readonly<Record<Caller, { readonly authorization?: string; readonly cookie?: string }>>;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  bridge = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
  const tenant = controlPlane.newTenant();
  const other = controlPlane.newTenant();
  const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
  const revoked = controlPlane.newKey(tenant);
  controlPlane.revoke(revoked);
  const [user, removed] = [controlPlane.newUser(tenant), controlPlane.newUser(tenant)];
  const tokenOf = (tenantId: string, userId: string): string =>
    handoffToken(controlPlane, { tenantId, userId, audience: new URL(bridge.url).host });
  const session = async (tenantId: string, userId: string): Promise<{ cookie: string }> => {
    const answer = await ask('POST', '/api/v1/auth/handoff', {}, { token: tokenOf(tenantId, userId) });
    return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  const mine = await session(tenant.tenantId, user.id);
  const ended = await session(tenant.tenantId, user.id);
  await ask('POST', '/api/v1/auth/logout', ended);
  const cookieName = mine.cookie.split('=')[0] ?? '';
  asking = {
    anonymous: {},
    'malformed key': bearer('cer_live_short'),
    'unknown key': bearer(`cer_live_${'A'.repeat(43)}`),
    'revoked key': bearer(revoked),
    'service token': bearer(SERVICE_TOKEN),
    'handoff token as a key': bearer(tokenOf(tenant.tenantId, user.id)),
    'key without ingest': bearer(controlPlane.newKey(tenant, ['certify'])),
    'key without certify': bearer(controlPlane.newKey(tenant, ['ingest'])),
    'key of a suspended account': bearer(controlPlane.newKey(controlPlane.newTenant({ accountStatus: 'suspended' }))),
    'key of an account without the bridge': bearer(controlPlane.newKey(controlPlane.newTenant({ bridge: false }))),
    'key of another account': bearer(controlPlane.newKey(other)),
    key: bearer(controlPlane.newKey(tenant)),
    'unknown session': { cookie: `${cookieName}=${'A'.repeat(43)}` },
    'ended session': ended,
    'session of a removed user': await session(tenant.tenantId, removed.id),
    'session of another account': await session(other.tenantId, controlPlane.newUser(other).id),
    session: mine,
  };
  await bridge.store.sessions.touch(await hashOf(asking['session of a removed user'].cookie), {
    checkedAt: new Date(0),
  });
  controlPlane.removeUser(removed);
  await bridge.store.ingests.record(
    tenant.tenantId,
    [
      {
        at: new Date().toISOString(),
        source: 'executions',
        outcome: 'certified',
        status: 200,
        executionId: CANARY,
        provider: 'p',
        model: 'm',
        certificateHash: null,
        submittedHash: null,
        verificationUrl: null,
        reason: null,
      },
    ],
    { certified: 1, refused: 0 },
  );
});
afterAll(async () => {
  await bridge.close();
  await controlPlane.close();
});

async function hashOf(cookie = ''): Promise<string> {
  const token = cookie.split('=')[1] ?? '';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Buffer.from(digest).toString('hex');
}

function ask(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
  encode: (body: unknown) => string = JSON.stringify,
): Promise<Response> {
  return fetch(bridge.url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...HOSTILE_FIELDS,
      origin: bridge.url,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: encode(body) }),
  });
}

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function send({ route, body, origin }: Row, caller: Caller): Promise<Sent> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await ask(method, path, { ...asking[caller], ...(origin !== undefined && { origin }) }, body);
  const headers: Record<string, string> = {};
  answer.headers.forEach((value, name) => (headers[name] = value));
  if (path !== '/events') return { status: answer.status, headers, text: await answer.text() };
  // The stream of a session ends with the connection.
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return { status: answer.status, headers, text: Buffer.from(first?.value ?? []).toString() };
}

const named = namedRows(ROWS);

describe('the matrix of callers and routes', () => {
  it('has a row for every route', () => {
    const assets = readAssets(bridge.deps.assetFolder);
    const files = new Set(assets.routes.map(({ path }) => path));
    const routes = bridgeRoutes(bridge.deps, assets).filter(({ path }) => !files.has(path));
    expect(routesOfRows(ROWS)).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it('has the routes of the specification and pages', () => {
    const isPage = (route: string): boolean => /^GET \/(send|events|health|ready|metrics)?$/.test(route);
    expect(routesOfRows(ROWS).filter((route) => !isPage(route))).toEqual(specifiedRoutes('bridge'));
  });

  it('is reached through the chart but for metrics', () => {
    const routes = bridgeRoutes(bridge.deps, readAssets(bridge.deps.assetFolder));
    expect(chartIngressOf('bridge', routes)).toEqual({ closed: ['/metrics'], unused: [] });
  });

  it.each(named)('has the expected statuses: %s', async (_name, row) => {
    const statuses: [Caller, number][] = [];
    for (const caller of CALLERS) {
      const { status, headers, text } = await send(row, caller);
      statuses.push([caller, status]);
      expect([caller, answerFaults({ headers, text }, false)]).toEqual([caller, []]);
      const isShown = caller === 'session' && ['GET /', 'GET /events'].includes(row.route);
      expect([caller, text.includes(CANARY)]).toEqual([caller, isShown]);
    }
    expect(Object.fromEntries(statuses)).toEqual(row.expected);
  });
});

const POSTED = named.filter(([, { route }]) => route.startsWith('POST '));

describe('after the matrix, a hostile request', () => {
  it.each(POSTED)('changes no prototype: %s', async (_name, { route, body, origin }) => {
    const path = `${route.split(' ')[1] ?? ''}?${hostileForm({})}`;
    for (const caller of ['anonymous', 'key', 'session of another account'] as const) {
      const headers = { ...asking[caller], ...(origin !== undefined && { origin }) };
      const { status } = await ask('POST', path, headers, body ?? {}, hostileJson);
      // The node of this bridge does not answer: 503.
      expect([caller, status < 500 || status === 503]).toEqual([caller, true]);
    }
    expect(pollutedKinds()).toEqual([]);
  });
});
