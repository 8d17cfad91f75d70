import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { randomToken } from '../../src/account/random-token.js';
import { issueLink } from '../../src/links/one-time-link.js';
import { openStore } from '../../src/store/index.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, PASSWORD, PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const HOUR_MS = 60 * 60_000;
const LINK = new RegExp(`${PUBLIC_URL}(/link/[\\w-]{43})`);
const NEW_PASSWORD = 'another long password';

describe('one-time links', () => {
  let dashboard: TestDashboard;
  let owner: TestBrowser;

  beforeEach(async () => {
    dashboard = await startTestDashboard();
    owner = new TestBrowser(dashboard.app);
    await owner.signIn();
    await owner.get('/users');
  });

  afterEach(async () => {
    await dashboard.close();
  });

  async function invite(email = 'new@example.org'): Promise<string> {
    const answer = await owner.post('/users', { name: 'New One', email, role: 'member' });
    return LINK.exec(answer.text)?.[1] ?? '';
  }

  it('let an invited user choose a password once', async () => {
    const path = await invite();
    const guest = new TestBrowser(dashboard.app);
    expect((await guest.get(path)).text).toContain('new@example.org');
    const second = new TestBrowser(dashboard.app);
    expect((await second.get(path)).status).toBe(200);
    const answer = await guest.post(path, { password: NEW_PASSWORD });
    expect(answer.headers['location']).toBe('/?done=password-set');
    expect((await guest.get('/')).text).toContain('new@example.org');

    const late = new TestBrowser(dashboard.app);
    expect((await late.get(path)).status).toBe(404);
    expect((await second.post(path, { password: 'a third long password' })).status).toBe(404);
    expect((await late.signIn('new@example.org', NEW_PASSWORD)).status).toBe(303);
  });

  it('work once, also under concurrent use', async () => {
    const path = await invite();
    const guests = [new TestBrowser(dashboard.app), new TestBrowser(dashboard.app)];
    await Promise.all(guests.map((guest) => guest.get(path)));
    const answers = await Promise.all(guests.map((guest) => guest.post(path, { password: NEW_PASSWORD })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  it('expire', async () => {
    const path = await invite();
    const guest = new TestBrowser(dashboard.app);
    await guest.get(path);
    dashboard.pass(72 * HOUR_MS);
    expect((await guest.get(path)).status).toBe(404);
    expect((await guest.post(path, { password: NEW_PASSWORD })).status).toBe(404);
  });

  it('are kept as hashes and never logged', async () => {
    const token = (await invite()).slice('/link/'.length);
    await new TestBrowser(dashboard.app).get(`/link/${token}`);
    expect(await dashboard.everythingInDatabase()).not.toContain(token);
    expect(dashboard.logLines.join('')).not.toContain(token);
    expect(dashboard.logLines.join('')).toContain('/link/:token');
  });

  it('end all sessions and earlier links', async () => {
    await dashboard.addUser('member@example.org', 'member');
    const member = new TestBrowser(dashboard.app);
    await member.signIn('member@example.org');
    const { userId } = (await dashboard.store.users.findForLogin('member@example.org'))?.user ?? { userId: '' };
    const [first, second] = [await owner.post(`/users/${userId}/link`), await owner.post(`/users/${userId}/link`)];
    const guest = new TestBrowser(dashboard.app);
    expect((await guest.get(LINK.exec(first.text)?.[1] ?? '')).status).toBe(404);
    await guest.get(LINK.exec(second.text)?.[1] ?? '');
    await guest.post(LINK.exec(second.text)?.[1] ?? '', { password: NEW_PASSWORD });
    expect((await member.get('/')).status).toBe(303);
    expect((await guest.get('/')).status).toBe(200);
    expect((await member.signIn('member@example.org', PASSWORD)).status).toBe(422);
  });

  it('are made once by a form that is sent twice', async () => {
    await dashboard.addUser('member@example.org', 'member');
    const forms = (await owner.get('/users')).text.split('<form ');
    const sent = forms.find((form) => /action="[^"]+\/link"/.test(form)) ?? '';
    const path = /action="([^"]+)"/.exec(sent)?.[1] ?? '';
    const id = /name="form_id" value="([^"]+)"/.exec(sent)?.[1];
    const form = id === undefined ? {} : { form_id: id };
    const answers = await Promise.all([owner.post(path, form), owner.post(path, form)]);
    answers.push(await owner.post(path, form));
    const [made, ...more] = answers.flatMap((answer) => LINK.exec(answer.text)?.[1] ?? []);
    expect(more).toEqual([]);
    const others = answers.filter((answer) => answer.text.includes('This form was sent before and made one link'));
    expect(others.map(({ status }) => status)).toEqual([400, 400]);
    expect((await new TestBrowser(dashboard.app).get(made ?? '')).status).toBe(200);
  });

  it('do not work for a disabled user', async () => {
    const path = await invite();
    const { userId } = (await dashboard.store.users.findForLogin('new@example.org'))?.user ?? { userId: '' };
    await owner.post(`/users/${userId}/disable`);
    expect((await new TestBrowser(dashboard.app).get(path)).status).toBe(404);
    expect((await owner.post(`/users/${userId}/link`)).status).toBe(404);
  });

  it.each(['short', 'aaaaaaaaaaaaaaaa', 'x'.repeat(201)])('survive a refused password: %s', async (password) => {
    const path = await invite();
    const guest = new TestBrowser(dashboard.app);
    await guest.get(path);
    const refused = await guest.post(path, { password });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('href="#password"');
    expect(refused.text).not.toContain(`value="${password}"`);
    expect((await guest.post(path, { password: NEW_PASSWORD })).status).toBe(303);
  });

  it.each([randomToken(), 'x', '..%2f..', "'%20or%201=1--"])('are unknown when guessed: %s', async (token) => {
    expect((await request(dashboard.app).get(`/link/${token}`)).status).toBe(404);
  });

  it('never give one address to two users', async () => {
    await invite();
    const again = await owner.post('/users', { name: 'N', email: 'NEW@example.org', role: 'member' });
    expect(again.status).toBe(422);
    expect(again.text).toContain('belongs to a user already');
  });

  it('do not let an owner disable themselves', async () => {
    expect((await owner.post(`/users/${dashboard.owner.userId}/disable`)).status).toBe(403);
    expect((await owner.get('/')).status).toBe(200);
  });
});

describe('the set-up link', () => {
  const SET_UP = { tenant: 'First', name: 'First Owner', email: 'first@example.org', password: NEW_PASSWORD };

  it('makes the first tenant and owner once', async () => {
    const database = await sqliteTestDatabase();
    const { store } = await openStore({ databaseUrl: database.url });
    expect(await store.users.ownerExists()).toBe(false);
    const links = [0, 1].map(() => issueLink(PUBLIC_URL, HOUR_MS, new Date()));
    for (const link of links) await store.links.issueSetUpLink(link);
    const owner = { tenantName: 'First', email: 'first@example.org', name: 'F', passwordHash: 'x' };
    const redeemed = await Promise.all(links.map(({ tokenHash }) => store.links.redeemForSetUp(tokenHash, owner)));
    expect(redeemed.filter((user) => user !== null)).toHaveLength(1);
    expect(await store.users.ownerExists()).toBe(true);
    await store.close();
    await database.remove();
  });

  it('signs in, and ends with the first owner', async () => {
    const dashboard = await startTestDashboard();
    const link = issueLink(PUBLIC_URL, HOUR_MS, dashboard.now());
    await dashboard.store.links.issueSetUpLink(link);
    const path = link.url.slice(PUBLIC_URL.length);
    const browser = new TestBrowser(dashboard.app);
    expect((await browser.get(path)).text).toContain('Organisation');
    const refused = await browser.post(path, { ...SET_UP, tenant: '', email: 'nonsense' });
    expect(refused.status).toBe(422);
    for (const field of ['tenant', 'email']) expect(refused.text).toContain(`href="#${field}"`);
    expect(refused.text).not.toContain(NEW_PASSWORD);
    expect((await browser.post(path, SET_UP)).headers['location']).toBe('/');
    expect((await browser.get('/')).text).toContain('First');
    expect((await browser.get(path)).status).toBe(404);

    const second = issueLink(PUBLIC_URL, HOUR_MS, dashboard.now());
    await dashboard.store.links.issueSetUpLink(second);
    await dashboard.addUser('another@example.org', 'owner');
    expect((await browser.get(second.url.slice(PUBLIC_URL.length))).status).toBe(404);
    expect(OWNER_EMAIL).not.toBe(SET_UP.email);
    await dashboard.close();
  });

  it('expires', async () => {
    const dashboard = await startTestDashboard();
    const link = issueLink(PUBLIC_URL, HOUR_MS, dashboard.now());
    await dashboard.store.links.issueSetUpLink(link);
    const browser = new TestBrowser(dashboard.app);
    await browser.get(link.url.slice(PUBLIC_URL.length));
    dashboard.pass(HOUR_MS);
    expect((await browser.post(link.url.slice(PUBLIC_URL.length), SET_UP)).status).toBe(404);
    await dashboard.close();
  });
});
