import { createHmac, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { postgresTestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import {
  handoffToken,
  newHandoffKey,
  startStubControlPlane,
  type StubControlPlane,
  type StubTenant,
  type StubUser,
} from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

const MINUTE_MS = 60_000;

let controlPlane: StubControlPlane;
let bridge: TestBridge;
let tenant: StubTenant;
let user: StubUser;
let clockMs = 0;
const now = (): Date => new Date(Date.now() + clockMs);

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  bridge = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url, now });
  tenant = controlPlane.newTenant();
  user = controlPlane.newUser(tenant);
});
afterAll(async () => {
  await bridge.close();
  await controlPlane.close();
});

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly setCookie: string;
  /** The `Cookie` header that the browser then sends. */
  readonly cookie: string;
}

async function call(
  method: string,
  path: string,
  {
    url = bridge.url,
    origin = url,
    cookie = '',
    body,
  }: { url?: string; origin?: string; cookie?: string; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/auth/${path}`, {
    method,
    headers: {
      ...(origin !== '' && { origin }),
      ...(cookie !== '' && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  const setCookie = response.headers.get('set-cookie') ?? '';
  return {
    status: response.status,
    body: isJsonObject(parsed) ? parsed : {},
    setCookie,
    cookie: setCookie.split(';')[0] ?? '',
  };
}

type TokenChanges = Partial<Omit<Parameters<typeof handoffToken>[1], 'tenantId'>> & { readonly of?: StubTenant };

function token({ of = tenant, ...changes }: TokenChanges = {}): string {
  const audience = new URL(bridge.url).host;
  return handoffToken(controlPlane, { tenantId: of.tenantId, userId: user.id, audience, ...changes });
}

const handoff = (given: unknown, options: Parameters<typeof call>[2] = {}): Promise<Answer> =>
  call('POST', 'handoff', { ...options, body: { token: given } });

describe('a handoff token', () => {
  it('becomes a session in a protected cookie', async () => {
    const { status, body, setCookie, cookie } = await handoff(token());
    expect(status).toBe(200);
    expect(body['session']).toEqual({
      tenantId: tenant.tenantId,
      tenantName: `Tenant ${tenant.tenantId}`,
      user,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(setCookie).toMatch(
      /^__Host-bridge_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=43200$/,
    );
    expect(await call('GET', 'session', { cookie })).toMatchObject({ status: 200, body });
  });

  const seconds = (): number => Math.floor(Date.now() / 1000);
  const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each<[string, () => unknown]>([
    ['is not text', () => 5],
    ['is not a token', () => 'x.y.z'],
    ['is empty', () => ''],
    ['is expired', () => token({ claims: { iat: seconds() - 100, exp: seconds() - 10 } })],
    ['comes from the future', () => token({ claims: { iat: seconds() + 60, exp: seconds() + 120 } })],
    ['lives too long', () => token({ claims: { iat: seconds(), exp: seconds() + 121 } })],
    ['never expires', () => token({ claims: { exp: undefined } })],
    ['is for another bridge', () => token({ audience: 'bridge.example' })],
    ['is for another port', () => token({ audience: '127.0.0.1:1' })],
    ['is for several', () => token({ claims: { aud: [new URL(bridge.url).host, 'other'] } })],
    ['has another issuer', () => token({ claims: { iss: 'https://dashboard.example' } })],
    ['names another tenant than its user’s', () => token({ of: controlPlane.newTenant() })],
    ['names no tenant', () => token({ claims: { tenant_id: undefined } })],
    ['names an unknown user', () => token({ userId: randomUUID() })],
    ['has no id', () => token({ claims: { jti: undefined } })],
    ['has an unknown kid', () => token({ key: newHandoffKey() })],
    [
      'has a known kid and another key',
      () => token({ key: { ...newHandoffKey(), kid: controlPlane.handoffKeys[0]?.kid ?? '' } }),
    ],
    ['is of another type', () => token({ header: { typ: 'JWT' } })],
    ['brings a key address', () => token({ header: { jku: 'https://evil.example/jwks.json' } })],
    [
      'brings a key',
      () => token({ header: { jwk: controlPlane.handoffKeys[0]?.publicKey.export({ format: 'jwk' }) } }),
    ],
    ['brings a certificate address', () => token({ header: { x5u: 'https://evil.example' } })],
    ['brings critical extensions', () => token({ header: { crit: ['exp'] } })],
    ['is longer than 4 KB', () => token({ claims: { pad: 'x'.repeat(4096) } })],
    [
      'is not signed at all',
      () => {
        const [, claims = ''] = token().split('.');
        return `${base64url({ alg: 'none', typ: 'handoff+jwt', kid: controlPlane.handoffKeys[0]?.kid })}.${claims}.`;
      },
    ],
    [
      'is signed with the public key for a secret',
      () => {
        const [, claims = ''] = token().split('.');
        const head = base64url({ alg: 'HS256', typ: 'handoff+jwt', kid: controlPlane.handoffKeys[0]?.kid });
        const secret = controlPlane.handoffKeys[0]?.publicKey.export({ format: 'pem', type: 'spki' }) ?? '';
        return `${head}.${claims}.${createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url')}`;
      },
    ],
    [
      'was changed after it was signed',
      () => {
        const [head = '', claims = '', signature = ''] = token().split('.');
        const changed = { ...(jwt.decode(`${head}.${claims}.${signature}`) as object), sub: randomUUID() };
        return `${head}.${base64url(changed)}.${signature}`;
      },
    ],
  ])('that %s is refused without a reason', async (_, make) => {
    const { status, body, setCookie } = await handoff(make());
    expect({ status, body, setCookie }).toEqual({
      status: 401,
      body: { error: 'Authentication required' },
      setCookie: '',
    });
  });

  it('has the reason for its refusal in the log', async () => {
    const refused = token({ audience: 'bridge.example' });
    await handoff(refused);
    const log = bridge.log.join('\n');
    expect(log).toContain('jwt audience invalid');
    expect(log).not.toContain(refused.split('.')[1]);
  });

  it('is verified after a key rotation', async () => {
    const next = newHandoffKey();
    controlPlane.handoffKeys = [next, ...controlPlane.handoffKeys];
    expect((await handoff(token({ key: next }))).status).toBe(200);
  });

  it('is issued by the origin that browsers know', async () => {
    const dashboardUrl = 'https://dashboard.example';
    const own = await startTestBridge({
      nodeUrl: 'http://127.0.0.1:9',
      controlPlaneUrl: controlPlane.url,
      dashboardUrl,
    });
    const audience = new URL(own.url).host;
    const statusOf = async (iss: string): Promise<number> =>
      (await handoff(token({ audience, claims: { iss } }), { url: own.url })).status;
    expect([await statusOf(dashboardUrl), await statusOf(controlPlane.url)]).toEqual([200, 401]);
    await own.close();
  });

  it('causes a bounded number of key refetches', async () => {
    const own = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
    const audience = new URL(own.url).host;
    const known = (): string => token({ audience });
    expect((await handoff(known(), { url: own.url })).status).toBe(200);
    const before = controlPlane.asked.get('/.well-known/jwks.json') ?? 0;
    const key = newHandoffKey();
    for (let at = 0; at < 40; at += 1) {
      await handoff(token({ audience, key: { ...key, kid: randomUUID() } }), { url: own.url });
    }
    expect((controlPlane.asked.get('/.well-known/jwks.json') ?? 0) - before).toBeLessThanOrEqual(20);
    expect((await handoff(known(), { url: own.url })).status).toBe(200);
    await own.close();
  });

  it('stays usable after an outage of the control plane', async () => {
    const good = token();
    controlPlane.isDown = true;
    const { status } = await handoff(good);
    controlPlane.isDown = false;
    expect(status).toBe(503);
    expect((await handoff(good)).status).toBe(200);
  });

  it('is refused with a reason when the plan has no bridge', async () => {
    const without = controlPlane.newTenant({ bridge: false });
    const { id } = controlPlane.newUser(without);
    expect(await handoff(token({ of: without, userId: id }))).toMatchObject({
      status: 403,
      body: { error: 'The evidence bridge is not part of this account' },
    });
  });

  it.each(['', 'http://127.0.0.1', 'https://evil.example', 'null'])(
    'is not taken from a page of %j',
    async (origin) => {
      const good = token();
      expect((await handoff(good, { origin })).status).toBe(403);
      expect((await handoff(good)).status).toBe(200);
    },
  );
});

describe.each([['SQLite'], ['PostgreSQL']])('two bridges on one %s database', (name) => {
  it('consume a token once between them', async () => {
    const database = name === 'SQLite' ? null : await postgresTestDatabase();
    const shared = { nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url };
    const publicUrl = 'http://127.0.0.1:4300';
    const replace = () => ({ publicUrl });
    const one = await startTestBridge({ ...shared, replace, ...(database && { databaseUrl: database.url }) });
    const two = await startTestBridge({ ...shared, replace, databaseUrl: one.databaseUrl });
    const good = token({ audience: '127.0.0.1:4300' });
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        handoff(good, { url: at % 2 === 0 ? one.url : two.url, origin: publicUrl }),
      ),
    );
    const taken = tries.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(1);
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const cookie = taken[0]?.cookie ?? '';
    expect((await call('GET', 'session', { url: one.url, cookie })).status).toBe(200);
    expect((await call('GET', 'session', { url: two.url, cookie })).status).toBe(200);
    await call('POST', 'logout', { url: two.url, origin: publicUrl, cookie });
    expect((await call('GET', 'session', { url: one.url, cookie })).status).toBe(401);
    await one.close();
    await two.close();
    await database?.remove();
  });
});

describe('a session', () => {
  it('of another user is replaced only when confirmed', async () => {
    const { cookie } = await handoff(token());
    const other = controlPlane.newUser(tenant);
    const theirs = token({ userId: other.id });
    expect(await handoff(theirs, { cookie })).toMatchObject({
      status: 409,
      body: { error: 'Another session is active' },
    });
    const replaced = await call('POST', 'handoff', { cookie, body: { token: theirs, replace: true } });
    expect(replaced).toMatchObject({ status: 200, body: { session: { user: other } } });
    expect((await call('GET', 'session', { cookie })).status).toBe(401);
  });

  it('of the same user is rotated by the next handoff', async () => {
    const first = await handoff(token());
    const second = await handoff(token(), { cookie: first.cookie });
    expect(second.status).toBe(200);
    expect(second.cookie).not.toBe(first.cookie);
    expect((await call('GET', 'session', { cookie: first.cookie })).status).toBe(401);
  });

  it('never has an id that the browser chose', async () => {
    const madeUp = `__Host-bridge_session=${'A'.repeat(43)}`;
    const { cookie } = await handoff(token(), { cookie: madeUp });
    expect(cookie).not.toBe(madeUp);
    expect((await call('GET', 'session', { cookie: madeUp })).status).toBe(401);
  });

  it('ends by logout, which clears the cookie', async () => {
    const { cookie } = await handoff(token());
    const cleared = '__Host-bridge_session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0';
    expect(await call('POST', 'logout', { cookie, origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await call('POST', 'logout', { cookie })).toMatchObject({ status: 204, setCookie: cleared });
    expect((await call('GET', 'session', { cookie })).status).toBe(401);
    expect(await call('POST', 'logout')).toMatchObject({ status: 204, setCookie: cleared });
  });

  it('ends by inactivity and by age', async () => {
    const { cookie } = await handoff(token());
    clockMs = 59 * MINUTE_MS;
    expect((await call('GET', 'session', { cookie })).status).toBe(200);
    clockMs += 61 * MINUTE_MS;
    expect((await call('GET', 'session', { cookie })).status).toBe(401);
    clockMs = 0;
    const busy = await handoff(token());
    const statuses = [];
    for (; clockMs <= 12 * 60 * MINUTE_MS; clockMs += 50 * MINUTE_MS) {
      statuses.push((await call('GET', 'session', { cookie: busy.cookie })).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await call('GET', 'session', { cookie: busy.cookie })).status).toBe(401);
    clockMs = 0;
  });

  it('ends within a minute after its user is disabled', async () => {
    const own = controlPlane.newTenant();
    const gone = controlPlane.newUser(own);
    const stays = controlPlane.newUser(own);
    const first = await handoff(token({ of: own, userId: gone.id }));
    const second = await handoff(token({ of: own, userId: stays.id }));
    controlPlane.removeUser(gone);
    clockMs = MINUTE_MS;
    expect((await call('GET', 'session', { cookie: first.cookie })).status).toBe(401);
    expect((await call('GET', 'session', { cookie: second.cookie })).status).toBe(200);
    own.accountStatus = 'suspended';
    clockMs = 2 * MINUTE_MS;
    expect((await call('GET', 'session', { cookie: second.cookie })).status).toBe(401);
    clockMs = 0;
  });

  it('ends within a minute after its user was signed out at the dashboard', async () => {
    const leaving = controlPlane.newUser(tenant);
    const { cookie } = await handoff(token({ userId: leaving.id }));
    controlPlane.signOut(leaving, new Date());
    const later = await handoff(token({ userId: leaving.id }));
    clockMs = MINUTE_MS;
    expect((await call('GET', 'session', { cookie })).status).toBe(401);
    expect((await call('GET', 'session', { cookie: later.cookie })).status).toBe(200);
    clockMs = 0;
  });

  it.each([
    ['ahead of', 30_000],
    ['behind', -4000],
  ])(
    'ends by a sign-out after it began, and by no other, where its clock is %s that of the dashboard',
    async (_, by) => {
      const leaving = controlPlane.newUser(tenant);
      controlPlane.signOut(leaving, new Date(Date.now() - 2000));
      clockMs = by;
      const { cookie } = await handoff(token({ userId: leaving.id }));
      clockMs = by + MINUTE_MS;
      expect((await call('GET', 'session', { cookie })).status).toBe(200);
      controlPlane.signOut(leaving, new Date());
      clockMs = by + 2 * MINUTE_MS;
      expect((await call('GET', 'session', { cookie })).status).toBe(401);
      clockMs = 0;
    },
  );

  it('does not begin by a token from before its user was signed out', async () => {
    const leaving = controlPlane.newUser(tenant);
    const issued = Math.floor(Date.now() / 1000) - 10;
    const old = token({ userId: leaving.id, claims: { iat: issued, exp: issued + 60 } });
    controlPlane.signOut(leaving, new Date(Date.now() - 5000));
    expect((await handoff(old)).status).toBe(401);
    expect(bridge.log.join('\n')).toContain('issued before the user was signed out');
    expect((await handoff(token({ userId: leaving.id }))).status).toBe(200);
  });

  it('ends as usual after it was used while the clock was ahead', async () => {
    const own = controlPlane.newTenant();
    const gone = controlPlane.newUser(own);
    const idle = await handoff(token());
    const removed = await handoff(token({ of: own, userId: gone.id }));
    for (clockMs of [50 * MINUTE_MS, 0]) {
      expect((await call('GET', 'session', { cookie: idle.cookie })).status).toBe(200);
      if (clockMs === 0) controlPlane.removeUser(gone);
      expect((await call('GET', 'session', { cookie: removed.cookie })).status).toBe(clockMs === 0 ? 401 : 200);
    }
    clockMs = 61 * MINUTE_MS;
    expect((await call('GET', 'session', { cookie: idle.cookie })).status).toBe(401);
    clockMs = 0;
  });

  it('is refused when it cannot be rechecked', async () => {
    const { cookie } = await handoff(token());
    clockMs = MINUTE_MS;
    controlPlane.isDown = true;
    expect((await call('GET', 'session', { cookie })).status).toBe(503);
    controlPlane.isDown = false;
    expect((await call('GET', 'session', { cookie })).status).toBe(200);
    clockMs = 0;
  });
});
