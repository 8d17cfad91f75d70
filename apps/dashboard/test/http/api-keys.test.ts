import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issuedKeyOf } from '../../src/account/api-key.js';
import { introspectKey } from '../../src/introspection/introspect.js';
import { TestBrowser } from '../test-browser.js';
import { startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const HOUR_MS = 60 * 60_000;
const KEY = /cer_live_[A-Za-z0-9_-]{43}/;

describe('API keys', () => {
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

  async function makeKey(scopes: readonly string[] = ['certify', 'ingest']): Promise<string> {
    await browser.get('/keys');
    const answer = await browser.post('/keys', { name: 'checkout', scopes });
    return KEY.exec(answer.text)?.[0] ?? '';
  }

  async function keyId(): Promise<string> {
    return (await dashboard.store.apiKeys.list(dashboard.tenant.tenantId, null, 50))[0]?.keyId ?? '';
  }

  const asked = (key: string) => introspectKey(dashboard)(issuedKeyOf(key).keyHash);

  it('are shown once and listed by prefix', async () => {
    const key = await makeKey();
    expect(key).toMatch(KEY);
    const list = (await browser.get('/keys')).text;
    expect(list).toContain(`${key.slice(0, 15)}…`);
    expect(list).not.toMatch(KEY);
    expect(await asked(key)).toMatchObject({ active: true, scopes: ['certify', 'ingest'] });
  });

  it('are made once by a form that is sent twice', async () => {
    const id = /name="key_id" value="([^"]+)"/.exec((await browser.get('/keys')).text)?.[1];
    const form = { name: 'checkout', scopes: 'certify', ...(id !== undefined && { key_id: id }) };
    const answers = await Promise.all([browser.post('/keys', form), browser.post('/keys', form)]);
    answers.push(await browser.post('/keys', form));
    const shown = answers.filter(({ text }) => KEY.test(text));
    expect(shown.map(({ status }) => status)).toEqual([200]);
    const others = answers.filter(({ text }) => text.includes('This form was sent before and made one key'));
    expect(others.map(({ status }) => status)).toEqual([400, 400]);
    expect(await dashboard.store.apiKeys.list(dashboard.tenant.tenantId, null, 50)).toHaveLength(1);
  });

  it('refuse an id that no form has', async () => {
    await browser.get('/keys');
    const answer = await browser.post('/keys', { name: 'a', scopes: 'certify', key_id: 'mine' });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('reload it')]);
  });

  it('can be made for an auditor with read access', async () => {
    expect((await browser.get('/keys')).text).toContain('For auditors');
    expect(await asked(await makeKey(['audit']))).toMatchObject({ active: true, scopes: ['audit'] });
  });

  it('are never in the database or the log', async () => {
    const key = await makeKey();
    await browser.post(`/keys/${await keyId()}/rotate`, { grace_hours: '24' });
    await asked(key);
    await dashboard.lastUsed.flush();
    expect(await dashboard.everythingInDatabase()).not.toContain(key.slice(15));
    expect(dashboard.logLines.join('\n')).not.toContain(key.slice(0, 12));
    expect(dashboard.logLines.length).toBeGreaterThan(3);
  });

  it('work for the grace period after a rotation', async () => {
    const old = await makeKey();
    const answer = await browser.post(`/keys/${await keyId()}/rotate`, { grace_hours: '1' });
    const made = KEY.exec(answer.text)?.[0] ?? '';
    expect(made).not.toBe(old);
    expect(await asked(made)).toMatchObject({ active: true, scopes: ['certify', 'ingest'] });
    dashboard.pass(HOUR_MS - 1);
    expect(await asked(old)).toMatchObject({ active: true });
    dashboard.pass(1);
    expect(await asked(old)).toEqual({ active: false });
    expect(await asked(made)).toMatchObject({ active: true });
  });

  it('say that they were rotated to a form that is sent twice', async () => {
    await makeKey();
    const id = await keyId();
    await browser.post(`/keys/${id}/rotate`, { grace_hours: '0' });
    const { text } = await browser.post(`/keys/${id}/rotate`, { grace_hours: '0' });
    expect(text).toContain('This key was rotated before, and its new key was shown then.');
  });

  it('are rotated only once', async () => {
    await makeKey();
    const id = await keyId();
    await browser.post(`/keys/${id}/rotate`, { grace_hours: '24' });
    expect((await browser.post(`/keys/${id}/rotate`, { grace_hours: '24' })).status).toBe(404);
    expect((await browser.post(`/keys/${await keyId()}/rotate`, { grace_hours: '9999' })).status).toBe(400);
    expect(await dashboard.store.apiKeys.list(dashboard.tenant.tenantId, null, 50)).toHaveLength(2);
  });

  it('stop working at once when revoked', async () => {
    const key = await makeKey();
    const id = await keyId();
    await browser.post(`/keys/${id}/rotate`, { grace_hours: '168' });
    expect((await browser.get(`/keys/${id}/revoke`)).text).toContain('cannot be undone');
    expect((await browser.post(`/keys/${id}/revoke`)).headers['location']).toBe('/keys?done=key-revoked');
    expect(await asked(key)).toEqual({ active: false });
    expect((await browser.post(`/keys/${id}/revoke`)).status).toBe(404);
  });

  it('are out of reach of other accounts', async () => {
    const key = await makeKey();
    const id = await keyId();
    const { tenantId } = await dashboard.store.tenants.create({ name: 'Other' }, 'test');
    await dashboard.addUser('stranger@example.org', 'owner', tenantId);
    const stranger = new TestBrowser(dashboard.app);
    await stranger.signIn('stranger@example.org');
    expect((await stranger.get('/keys')).text).not.toContain('checkout');
    for (const act of ['rotate', 'revoke']) {
      expect((await stranger.get(`/keys/${id}/${act}`)).status).toBe(404);
      expect((await stranger.post(`/keys/${id}/${act}`, { grace_hours: '0' })).status).toBe(404);
    }
    expect(await asked(key)).toMatchObject({ active: true });
  });

  it('are made by owners of active accounts only', async () => {
    await dashboard.addUser('member@example.org', 'member');
    const member = new TestBrowser(dashboard.app);
    await member.signIn('member@example.org');
    expect((await member.get('/keys')).text).not.toContain('Create a key');
    expect((await member.post('/keys', { name: 'mine', scopes: 'certify' })).status).toBe(403);
    await dashboard.store.tenants.setStatus(dashboard.tenant.tenantId, 'suspended', 'test');
    expect((await browser.get('/keys')).text).toContain('This account is suspended');
    expect((await browser.post('/keys', { name: 'mine', scopes: 'certify' })).status).toBe(403);
    expect(await dashboard.store.apiKeys.list(dashboard.tenant.tenantId, null, 50)).toEqual([]);
  });

  it.each([
    ['no name', { name: ' ', scopes: 'certify' }, 'name'],
    ['a name of two lines', { name: 'a\r\nSet-Cookie: b=c', scopes: 'certify' }, 'name'],
    ['a name that reverses the text direction', { name: 'a\u202eb', scopes: 'certify' }, 'name'],
    ['no scope', { name: 'a' }, 'scopes'],
    ['an unknown scope', { name: 'a', scopes: ['certify', 'admin'] }, 'scopes'],
  ])('are refused with %s, naming the field', async (_case, fields, field) => {
    await browser.get('/keys');
    const answer = await browser.post('/keys', fields);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(new RegExp(`role="alert">[\\s\\S]*href="#${field}"`));
    expect(answer.text).toContain(`id="${field}-fault"`);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});
