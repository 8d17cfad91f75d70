import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Test } from 'supertest';
import { issueApiKey } from '../../src/account/api-key.js';
import { DEFAULT_SETTINGS } from '../../src/account/tenant-settings.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, SERVICE_TOKEN, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const KEYS = '/internal/v1/keys/introspect';
const SESSIONS = '/internal/v1/sessions/introspect';
const DAY_MS = 24 * 60 * 60_000;
const USAGE = '/internal/v1/usage';

describe('the control plane for services', () => {
  let dashboard: TestDashboard;

  beforeEach(async () => {
    dashboard = await startTestDashboard();
  });

  afterEach(async () => {
    await dashboard.close();
  });

  const ask = (path: string, body: object): Test =>
    request(dashboard.app).post(path).set('Authorization', `Bearer ${SERVICE_TOKEN}`).send(body);

  async function makeKey() {
    const { key, ...kept } = issueApiKey();
    const { tenantId } = dashboard.tenant;
    const { keyId } = await dashboard.store.apiKeys.create(
      { tenantId, name: 'k', scopes: ['certify'], ...kept },
      'test',
    );
    return { key, keyId, keyHash: kept.keyHash };
  }

  it.each([KEYS, SESSIONS, USAGE])('requires the service credential: %s', async (path) => {
    for (const authorization of ['', 'Bearer wrong', `Basic ${SERVICE_TOKEN}`, `Bearer ${SERVICE_TOKEN}x`, 'Bearer ']) {
      const answer = await request(dashboard.app).post(path).set('Authorization', authorization).send({ keyHash: 'x' });
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ error: 'UNAUTHORIZED', requestId: expect.any(String) });
    }
    expect(dashboard.logLines.join('')).not.toContain(SERVICE_TOKEN);
  });

  it('describes a working key', async () => {
    const { keyHash, keyId } = await makeKey();
    await dashboard.store.tenants.putPlan({
      name: 'Small',
      limits: { requestsPerMinute: 60, executionsPerMonth: 1000 },
      bridge: false,
    });
    await dashboard.store.tenants.assignPlan(dashboard.tenant.tenantId, 'Small', 'test');
    const answer = await ask(KEYS, { keyHash });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      active: true,
      tenantId: dashboard.tenant.tenantId,
      tenantName: 'Acme',
      keyId,
      scopes: ['certify'],
      accountStatus: 'active',
      plan: 'Small',
      limits: { requestsPerMinute: 60, executionsPerMonth: 1000 },
      entitlements: { bridge: false },
      settings: DEFAULT_SETTINGS,
    });
    expect((await ask(KEYS, { keyHash: `sha256:${keyHash}` })).body).toEqual(answer.body);
  });

  it('describes no unknown or revoked key', async () => {
    const { keyHash, keyId } = await makeKey();
    await dashboard.store.apiKeys.revoke(dashboard.tenant.tenantId, keyId, 'test');
    for (const hash of [keyHash, '0'.repeat(64)])
      expect((await ask(KEYS, { keyHash: hash })).body).toEqual({ active: false });
  });

  it('reports keys and sessions of suspended accounts inactive', async () => {
    const { keyHash } = await makeKey();
    const { tenantId } = dashboard.tenant;
    await dashboard.store.tenants.setStatus(tenantId, 'suspended', 'test');
    const suspended = { active: false, accountStatus: 'suspended' };
    expect((await ask(KEYS, { keyHash })).body).toMatchObject(suspended);
    expect((await ask(SESSIONS, { tenantId, sub: dashboard.owner.userId })).body).toMatchObject(suspended);
    await dashboard.store.tenants.setStatus(tenantId, 'active', 'test');
    expect((await ask(KEYS, { keyHash })).body).toMatchObject({ active: true, accountStatus: 'active' });
  });

  it('names the user of a session until disabled', async () => {
    const { tenantId } = dashboard.tenant;
    const { userId } = await dashboard.addUser('member@example.org', 'member');
    expect((await ask(SESSIONS, { tenantId, sub: userId })).body).toMatchObject({
      active: true,
      tenantName: 'Acme',
      user: { id: userId, email: 'member@example.org', name: 'member' },
      accountStatus: 'active',
      entitlements: { bridge: true },
      settings: DEFAULT_SETTINGS,
    });
    await dashboard.store.users.setEnabled(tenantId, userId, false, 'test');
    expect((await ask(SESSIONS, { tenantId, sub: userId })).body).toEqual({ active: false });
    expect((await ask(SESSIONS, { tenantId: 'other', sub: dashboard.owner.userId })).body).toEqual({ active: false });
    expect(OWNER_EMAIL).toBe(dashboard.owner.email);
  });

  it('states when the sessions of a user ended', async () => {
    const { tenantId } = dashboard.tenant;
    const { userId } = dashboard.owner;
    const browser = new TestBrowser(dashboard.app);
    await browser.signIn();
    expect((await ask(SESSIONS, { tenantId, sub: userId })).body).not.toHaveProperty('sessionsEndedAt');
    await browser.post('/sign-out');
    expect((await ask(SESSIONS, { tenantId, sub: userId })).body).toMatchObject({
      active: true,
      sessionsEndedAt: dashboard.now().toISOString(),
    });
  });

  it('states no end of sessions from a time when the clock was ahead', async () => {
    const { tenantId } = dashboard.tenant;
    const { userId } = dashboard.owner;
    const browser = new TestBrowser(dashboard.app);
    dashboard.pass(DAY_MS);
    await browser.signIn();
    await browser.post('/sign-out');
    expect((await ask(SESSIONS, { tenantId, sub: userId })).body).toHaveProperty('sessionsEndedAt');
    dashboard.pass(-DAY_MS);
    expect((await ask(SESSIONS, { tenantId, sub: userId })).body).not.toHaveProperty('sessionsEndedAt');
  });

  it('refuses malformed key hashes without repeating them', async () => {
    const { key } = await makeKey();
    for (const keyHash of [key, 'A'.repeat(64), '0'.repeat(63), 7, null]) {
      const answer = await ask(KEYS, { keyHash });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'VALIDATION_ERROR' });
      expect(answer.text).not.toContain(key);
    }
    expect(dashboard.logLines.join('')).not.toContain(key);
  });

  it('looks up a key without a write', async () => {
    const { keyHash } = await makeKey();
    const written: number[] = [];
    const { apiKeys } = dashboard.store;
    const markUsed = apiKeys.markUsed.bind(apiKeys);
    apiKeys.markUsed = (uses) => {
      written.push(uses.size);
      return markUsed(uses);
    };
    for (let look = 0; look < 20; look += 1) await ask(KEYS, { keyHash });
    const lastUse = async () => (await apiKeys.list(dashboard.tenant.tenantId, null, 50))[0]?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await dashboard.lastUsed.flush();
    expect(written).toEqual([1]);
    expect(await lastUse()).toBe(dashboard.now().toISOString());
  });

  it('counts a repeated report once', async () => {
    const { tenantId } = dashboard.tenant;
    const report = {
      reportId: 'report-0001',
      items: [
        { tenantId, kind: 'certify', count: 2 },
        { tenantId, kind: 'certify', count: 3 },
        { tenantId: 'unknown', kind: 'certify', count: 7 },
      ],
    };
    expect((await ask(USAGE, report)).body).toEqual({ ok: true, accepted: 2 });
    expect((await ask(USAGE, report)).body).toEqual({ ok: true, replayed: true });
    const day = dashboard.now().toISOString().slice(0, 10);
    expect(await dashboard.store.usage.list(tenantId, day)).toEqual([{ day, kind: 'certify', count: 5 }]);
  });

  it('limits the content of a report', async () => {
    const { tenantId } = dashboard.tenant;
    const item = { tenantId, kind: 'certify', count: 1 };
    for (const items of [
      [],
      [{ ...item, count: -1 }],
      [{ ...item, count: 1e9 }],
      [{ ...item, kind: 'x' }],
      [{ ...item, kind: 'audit' }],
      Array(1001).fill(item),
    ]) {
      expect((await ask(USAGE, { reportId: 'report-0001', items })).status).toBe(400);
    }
    expect((await ask(USAGE, { reportId: 'r', items: [item] })).status).toBe(400);
  });

  it('is not ready while the database is gone', async () => {
    const { keyHash } = await makeKey();
    dashboard.store.apiKeys.findByHash = async () => {
      const { StoreError } = await import('@cer/sql-store');
      throw new StoreError('STORE_UNAVAILABLE', 'gone');
    };
    const answer = await ask(KEYS, { keyHash });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ error: 'SERVICE_UNAVAILABLE' });
  });

  it('reports its health', async () => {
    expect((await request(dashboard.app).get('/health')).body).toEqual({ status: 'ok' });
    expect((await request(dashboard.app).get('/ready')).body).toEqual({ status: 'ready' });
    expect((await request(dashboard.app).get('/metrics')).text).toContain('http_request_duration_seconds');
    dashboard.store.ping = async () => Promise.reject(new Error('gone'));
    const unready = await request(dashboard.app).get('/ready');
    expect(unready.status).toBe(503);
    expect(unready.body).toMatchObject({ reasons: ['the database does not answer'] });
  });

  it('answers unknown paths with a page or a code', async () => {
    const page = await request(dashboard.app).get('/<script>').set('Accept', 'text/html');
    expect(page.status).toBe(404);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).not.toContain('<script');
    const program = await request(dashboard.app).get('/keys/').set('Accept', 'application/json');
    expect(program.status).toBe(404);
    expect(program.body).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('logs and counts unknown paths', async () => {
    const unknown = await request(dashboard.app).get('/secret-path').set('Accept', 'text/html');
    const requestId = unknown.headers['x-request-id'];
    expect(dashboard.logLines.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ requestId, route: '(unmatched)', status: 404 }),
    );
    expect(dashboard.logLines.join('')).not.toContain('secret-path');
    const { text } = await request(dashboard.app).get('/metrics');
    expect(text).toMatch(/_count\{route="\(unmatched\)",method="ANY",status="4xx"\} [1-9]/);
  });
});
