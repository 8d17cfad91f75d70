import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import request from 'supertest';
import { rotateSigningKeys } from '../../src/jwks/signing-keys.js';
import { PLACES } from '../../src/web/document.js';
import { TestBrowser } from '../test-browser.js';
import { BRIDGE_URL, PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

/** The fields that the form of a review sends beside what was typed. */
const REVIEW = {
  ...{ subject: 'certificate', reviewed: `sha256:${'a'.repeat(64)}`, seen: `sha256:${'b'.repeat(64)}` },
  execution_id: 'review:00000000-0000-4000-8000-000000000000',
};

describe('pages', () => {
  let dashboard: TestDashboard;
  let browser: TestBrowser;

  beforeEach(async () => {
    dashboard = await startTestDashboard();
    browser = new TestBrowser(dashboard.app);
    await browser.signIn();
  });

  afterEach(async () => {
    await dashboard.close();
  });

  it.each([...PLACES.map(([path]) => path), '/nowhere'])('load no script and no foreign content: %s', async (path) => {
    const { text, headers } = await browser.get(path);
    // Passkeys need a script; it is the one of this service, in a file.
    const isScripted = path === '/security';
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; ${isScripted ? "script-src 'self'; " : ''}style-src 'self'; img-src 'self'; ${isScripted ? "connect-src 'self'; " : ''}form-action 'self' ${BRIDGE_URL}; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const own = isScripted ? /<script src="\/assets\/[\w./-]+" defer><\/script>/ : /^$/;
    expect(text.replace(own, '')).not.toMatch(/<script|<style| style=| on\w+=|javascript:/i);
    expect(text.match(/(src|href)="(?!\/|#)[^"]*"/g)).toBeNull();
  });

  it('have an immutable style sheet and icon', async () => {
    const { text } = await browser.get('/');
    for (const [, path = ''] of text.matchAll(/href="(\/assets\/[^"]+)"/g)) {
      const answer = await request(dashboard.app).get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers['cache-control']).toContain('immutable');
    }
    expect([...text.matchAll(/href="(\/assets\/[^"]+)"/g)]).toHaveLength(2);
  });

  it('show foreign input as text', async () => {
    const hostile = `"><img src=x onerror=alert(1)>'&{{7*7}}</title>`;
    const { tenantId } = await dashboard.store.tenants.create({ name: hostile }, hostile);
    const passwordHash = await dashboard.hasher.hash('a password of theirs');
    await dashboard.store.users.add(
      { tenantId, email: 'h@example.org', name: hostile, role: 'owner', passwordHash },
      hostile,
    );
    const theirs = new TestBrowser(dashboard.app);
    await theirs.signIn('h@example.org', 'a password of theirs');
    await theirs.get('/keys');
    await theirs.post('/keys', { name: hostile, scopes: 'certify' });
    await theirs.post('/users', { name: hostile, email: 'g@example.org', role: 'member' });
    await dashboard.store.tenants.putPlan({
      name: hostile,
      limits: { requestsPerMinute: 1, executionsPerMonth: 1 },
      bridge: true,
    });
    await dashboard.store.tenants.assignPlan(tenantId, hostile, hostile);
    const settings = {
      publish: 'context',
      metadata: 'names',
      metadata_names: hostile,
      minimumProtocol: '1.2.0',
      visibility: 'public',
    };
    expect((await theirs.post('/settings', { ...settings, retentionDays: '' })).status).toBe(303);
    const answers = await Promise.all(PLACES.map(([path]) => theirs.get(path)));
    answers.push(await theirs.post('/settings', { ...settings, retentionDays: hostile }));
    answers.push(await theirs.post('/users', { name: hostile, email: hostile, role: hostile }));
    answers.push(await theirs.post('/keys', { name: hostile.repeat(9), scopes: hostile }));
    answers.push(await theirs.get(`/?done=${encodeURIComponent(hostile)}`));
    for (const { text } of answers) {
      expect(text).not.toContain('<img');
      expect(text.match(/<title>[^<]*<\/title>/g)).toHaveLength(1);
    }
    expect(answers.filter(({ text }) => text.includes('&#60;img src=x onerror=alert(1)&#62;')).length).toBe(
      answers.length,
    );
  });

  it('count nothing for a day that cannot be read', async () => {
    for (const [day, field] of [
      ['31.1.2026', 'from'],
      ['2026-02-30', 'to'],
      ['yesterday', 'to'],
    ] as const) {
      const { status, text } = await browser.get(`/coverage?${field}=${day}&app_id=travel-desk`);
      expect([day, status]).toEqual([day, 400]);
      expect(text).toContain(`${field === 'from' ? 'From' : 'To'} must be a day, such as 2026-01-31.`);
      for (const kept of [`value="${day}"`, 'value="travel-desk"']) expect(text).toContain(kept);
    }
  });

  it.each([
    ['from=2026-01-31&to=2026-01-01', 'From must not be later than To, which is today when left out.'],
    ['from=9000-01-01', 'From must not be later than To, which is today when left out.'],
    ['from=2026-01-01&to=2026-04-03', 'From and To must enclose at most 92 days.'],
  ])('count nothing for another range than the one that was asked for: %s', async (query, sentence) => {
    const { status, text } = await browser.get(`/coverage?${query}`);
    expect([status, text]).toEqual([400, expect.stringContaining(`<a href="#from">${sentence}</a>`)]);
    for (const [, value = ''] of new URLSearchParams(query)) expect(text).toContain(`value="${value}"`);
  });

  it('count nothing for an application whose name is too long', async () => {
    const name = 'a'.repeat(257);
    const { status, text } = await browser.get(`/coverage?from=2026-01-01&app_id=${name}`);
    expect(status).toBe(400);
    expect(text).toContain('<a href="#app_id">Application must have at most 256 characters.</a>');
    for (const kept of [`value="${name}"`, 'value="2026-01-01"']) expect(text).toContain(kept);
  });

  it('ask for an application by its whole name', async () => {
    // With a fault the page shows what it was asked for.
    const { text } = await browser.get(`/coverage?from=x&app_id=${encodeURIComponent(' spaced app ')}`);
    expect(text).toContain('value=" spaced app "');
    expect((await browser.get('/coverage?from=x&app_id=%20')).text).not.toContain('value=" "');
  });

  it('save the settings of a form', async () => {
    await browser.get('/settings');
    const saved = await browser.post('/settings', {
      publish: ['context', 'prompt'],
      metadata: 'names',
      metadata_names: 'ticket\r\n\r\nteam\r\nticket',
      minimumProtocol: '1.3.1',
      retentionDays: '30',
      visibility: 'hidden',
      legalHold: 'on',
    });
    expect(saved.headers['location']).toBe('/settings?done=retention-saved');
    expect((await dashboard.store.tenants.find(dashboard.tenant.tenantId))?.settings).toEqual({
      publish: { context: true, prompt: true, instruction: false, metadata: ['ticket', 'team'] },
      minimumProtocol: '1.3.1',
      retentionDays: 30,
      visibility: 'hidden',
      legalHold: true,
    });
    const page = (await browser.get('/settings?done=retention-saved')).text;
    expect(page).toContain('The settings are saved.');
    expect(page).toContain('value="30"');
  });

  it('ask before records are deleted for good', async () => {
    await browser.get('/settings');
    const form = { metadata: 'none', minimumProtocol: '1.2.0', visibility: 'public' };
    const statusOf = async (fields: Readonly<Record<string, string>>): Promise<number> =>
      (await browser.post('/settings', { ...form, ...fields })).status;
    const { status, text } = await browser.post('/settings', { ...form, retentionDays: '30' });
    // The node, which would count them, cannot be reached.
    const sentence = 'Records that are 30 days or older will be deleted for good. Confirm it.';
    expect([status, text]).toEqual([422, expect.stringContaining(`<a href="#confirmed_days">${sentence}</a>`)]);
    expect(text).toContain('There is something to confirm');
    expect(await statusOf({ retentionDays: '3', confirmed_days: '30' })).toBe(422);
    expect(await statusOf({ retentionDays: '30', confirmed_days: '30' })).toBe(303);
    // What keeps more, or as much.
    for (const retentionDays of ['30', '31', '', '31']) {
      // The end of a hold is confirmed, because the days of the operator are not known.
      const also: Readonly<Record<string, string>> =
        retentionDays === '31' ? { legalHold: 'on' } : { confirmed_days: 'unknown' };
      expect([retentionDays, await statusOf({ retentionDays, ...also })]).toEqual([retentionDays, 303]);
    }
    // Without the hold they are deleted.
    expect(await statusOf({ retentionDays: '31' })).toBe(422);
    const { settings } = (await dashboard.store.tenants.find(dashboard.tenant.tenantId)) ?? {};
    expect(settings).toMatchObject({ retentionDays: 31, legalHold: true });
  });

  it('count the characters of a metadata name as the node does', async () => {
    await browser.get('/settings');
    const good = { metadata: 'names', minimumProtocol: '1.2.0', visibility: 'public', retentionDays: '' };
    const answers: number[] = [];
    for (const length of [256, 257]) {
      answers.push((await browser.post('/settings', { ...good, metadata_names: '\u{1d11e}'.repeat(length) })).status);
    }
    expect(answers).toEqual([303, 422]);
  });

  it.each([
    ['retentionDays', { retentionDays: '0' }],
    ['retentionDays', { retentionDays: '1.5' }],
    ['retentionDays', { retentionDays: 'x' }],
    ['retentionDays', { retentionDays: '0x10' }],
    ['retentionDays', { retentionDays: '1e2' }],
    ['metadata_names', { metadata: 'names', metadata_names: ' ' }],
    ['metadata_names', { metadata: 'everything' }],
    ['visibility', { visibility: 'secret' }],
    ['minimumProtocol', { minimumProtocol: '9.9.9' }],
  ])('refuse a bad %s and change nothing', async (field, change) => {
    await browser.get('/settings');
    const good = { metadata: 'none', minimumProtocol: '1.2.0', visibility: 'public', retentionDays: '' };
    const answer = await browser.post('/settings', { ...good, ...change });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(`href="#${field}"`);
    expect((await dashboard.store.tenants.find(dashboard.tenant.tenantId))?.settings).toEqual(
      dashboard.tenant.settings,
    );
  });

  it('show usage against the plan', async () => {
    const { tenantId } = dashboard.tenant;
    await dashboard.store.tenants.putPlan({
      name: 'Small',
      limits: { requestsPerMinute: null, executionsPerMonth: 2000 },
      bridge: true,
    });
    await dashboard.store.tenants.assignPlan(tenantId, 'Small', 'test');
    await dashboard.store.usage.record('report-0001', [{ tenantId, kind: 'certify', count: 1234 }]);
    const { text } = await browser.get('/usage');
    expect(text).toContain('1,234');
    expect(text).toContain('of 2,000 executions');
    expect(text).toContain('value="0.6170"');
    expect((await browser.get('/')).text).toContain('1,234');
  });

  it('list actions with their users', async () => {
    await browser.get('/users');
    await browser.post('/users', { name: 'New', email: 'new@example.org', role: 'member' });
    const { text } = await browser.get('/activity');
    expect(text).toMatch(/user added[\s\S]*new@example.org[\s\S]*owner@example.org/);
    expect(text).toContain('signed in');
  });

  it('accept only small forms', async () => {
    await browser.get('/keys');
    expect((await browser.post('/keys', {}, { 'Content-Type': 'application/json' })).status).toBe(415);
    expect((await browser.post('/keys', { name: 'x'.repeat(70_000) })).status).toBe(413);
  });

  it('accept the longest comment of a review in any script', async () => {
    await browser.get('/keys');
    const comment = '漢'.repeat(10_000);
    const { status, text } = await browser.post('/reviews', { ...REVIEW, decision: 'approved', comment });
    expect(status).toBe(503);
    expect(text).toContain(comment);
  });

  it.each(['/keys?x=%ff', '/sign-in?x=%ff', '/shared/none?x=%ff'])(
    'refuse a query that is not UTF-8: %s',
    async (path) => {
      const { status, type, text } = await browser.get(path);
      expect([status, type, text]).toEqual([
        400,
        'text/html',
        expect.stringContaining('x: must be percent-encoded UTF-8.'),
      ]);
    },
  );

  it('refuse forms of another site', async () => {
    for (const path of [
      '/keys',
      '/users',
      '/settings',
      '/integrations/connect',
      `/users/${dashboard.owner.userId}/disable`,
    ]) {
      for (const origin of [undefined, 'https://evil.example', 'null']) {
        expect((await browser.post(path, { name: 'x', scopes: 'certify' }, { Origin: origin })).status).toBe(403);
      }
      expect((await browser.post(path, { form_token: 'x' })).status).toBe(403);
    }
    expect(await dashboard.store.apiKeys.list(dashboard.tenant.tenantId, null, 50)).toEqual([]);
  });

  it('hide internal errors', async () => {
    dashboard.store.acts = async () => Promise.reject(new Error('canary of the database'));
    const answer = await browser.get('/activity');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('canary');
    expect(dashboard.logLines.join('')).not.toContain('canary');
    expect(dashboard.logLines.join('')).toContain('page failed');
  });

  describe('Connect', () => {
    const connect = async () => {
      await browser.get('/integrations');
      return browser.post('/integrations/connect');
    };
    const publishedKey = async (token: string) => {
      const { keys } = (await request(dashboard.app).get('/.well-known/jwks.json')).body as {
        keys: (JsonWebKey & { kid: string })[];
      };
      const { kid } = jwt.decode(token, { complete: true })?.header ?? {};
      const jwk = keys.find((key) => key.kid === kid);
      if (jwk === undefined) throw new Error('the signing key is not published');
      return createPublicKey({ key: jwk, format: 'jwk' });
    };

    it('opens the bridge with a bound token of 90 seconds', async () => {
      const answer = await connect();
      expect(answer.status).toBe(303);
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      const location = String(answer.headers['location']);
      expect(location.startsWith(`${BRIDGE_URL}/#handoff=`)).toBe(true);
      const token = location.slice(`${BRIDGE_URL}/#handoff=`.length);
      expect(token.length).toBeLessThan(4096);
      const { header, payload } = jwt.verify(token, await publishedKey(token), {
        algorithms: ['ES256'],
        issuer: PUBLIC_URL,
        audience: 'bridge.example:8443',
        complete: true,
        clockTimestamp: Math.floor(dashboard.now().getTime() / 1000),
      });
      expect(header).toEqual({ alg: 'ES256', typ: 'handoff+jwt', kid: expect.stringMatching(/^[\w-]{43}$/) });
      expect(payload).toMatchObject({
        tenant_id: dashboard.tenant.tenantId,
        sub: dashboard.owner.userId,
        aud: 'bridge.example:8443',
      });
      expect(typeof payload === 'object' && Number(payload.exp) - Number(payload.iat)).toBe(90);
      expect(dashboard.logLines.join('')).not.toContain(token.slice(0, 40));
    });

    it('gives every token a unique id', async () => {
      const ids = [await connect(), await connect()].map(({ headers }) => {
        const token = String(headers['location']).split('#handoff=')[1] ?? '';
        const payload = jwt.decode(token);
        return typeof payload === 'object' ? payload?.jti : undefined;
      });
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[0]).not.toBe(ids[1]);
    });

    it('signs with an already published key after rotation', async () => {
      const before = String((await connect()).headers['location']).split('#handoff=')[1] ?? '';
      const { kid, signsFrom } = rotateSigningKeys(dashboard.keysFile, dashboard.now(), false);
      const still = String((await connect()).headers['location']).split('#handoff=')[1] ?? '';
      const kidOf = (token: string) => jwt.decode(token, { complete: true })?.header.kid;
      expect(kidOf(still)).toBe(kidOf(before));
      const published = (await request(dashboard.app).get('/.well-known/jwks.json')).body as {
        keys: { kid: string }[];
      };
      expect(published.keys.map((key) => key.kid)).toContain(kid);
      dashboard.pass(signsFrom.getTime() - dashboard.now().getTime());
      const after = String((await connect()).headers['location']).split('#handoff=')[1] ?? '';
      expect(kidOf(after)).toBe(kid);
      await publishedKey(before);
    });

    it('is refused without entitlement, bridge or active account', async () => {
      const { tenantId } = dashboard.tenant;
      await dashboard.store.tenants.putPlan({
        name: 'Bare',
        limits: { requestsPerMinute: null, executionsPerMonth: null },
        bridge: false,
      });
      await dashboard.store.tenants.assignPlan(tenantId, 'Bare', 'test');
      expect((await browser.get('/integrations')).text).not.toContain('action="/integrations/connect"');
      expect((await connect()).status).toBe(403);
      await dashboard.store.tenants.assignPlan(tenantId, 'Standard', 'test');
      await dashboard.store.tenants.setStatus(tenantId, 'suspended', 'test');
      expect((await connect()).status).toBe(403);
      const bridgeless = await startTestDashboard({ bridgeUrl: undefined });
      const other = new TestBrowser(bridgeless.app);
      await other.signIn();
      expect((await other.get('/integrations')).text).toContain('No bridge is configured');
      expect((await other.post('/integrations/connect')).status).toBe(403);
      await bridgeless.close();
    });
  });

  it('publish no private member of a key', async () => {
    const answer = await request(dashboard.app).get('/.well-known/jwks.json');
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const { keys } = answer.body as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });
});
