import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Database } from '@cer/sql-store';
import { RateLimiterSQLite } from 'rate-limiter-flexible';
import { createApp } from '../../src/app.js';
import { randomToken } from '../../src/account/random-token.js';
import { issueLink } from '../../src/links/one-time-link.js';
import { openStore } from '../../src/store/index.js';
import { DEVICE_COOKIE, SESSION_COOKIE, VISIT_COOKIE } from '../../src/web/cookies.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, PASSWORD, PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const MINUTE_MS = 60_000;

describe('signing in', () => {
  let dashboard: TestDashboard;
  let browser: TestBrowser;

  beforeEach(async () => {
    dashboard = await startTestDashboard();
    browser = new TestBrowser(dashboard.app);
  });

  afterEach(async () => {
    await dashboard.close();
  });

  it('opens a session in a protected cookie', async () => {
    const answer = await browser.signIn();
    expect(answer.status).toBe(303);
    expect(answer.headers['location']).toBe('/');
    const [cookie] = [answer.headers['set-cookie']].flat();
    expect(cookie).toMatch(
      /^__Host-dashboard_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/,
    );
    const page = await browser.get('/');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Acme');
    expect(page.text).toContain(OWNER_EMAIL);
  });

  it('waits for another process’s write', async () => {
    await browser.get('/sign-in');
    const { database, store } = await openStore({ databaseUrl: dashboard.databaseUrl });
    const writing = await database.knex.transaction();
    await writing.raw('delete from schema_versions where version < 0');
    const counting = jest.spyOn(RateLimiterSQLite.prototype, 'consume');
    // The first write of signing in counts the attempt.
    const isRepeated = (): boolean => counting.mock.calls.some(([key], at, all) => key === all[at - 1]?.[0]);
    const state = { isOver: false };
    const signingIn = browser.post('/sign-in', { email: OWNER_EMAIL, password: PASSWORD }).finally(() => {
      state.isOver = true;
    });
    while (!isRepeated() && !state.isOver) await nextTurn();
    await writing.commit();
    expect([isRepeated(), (await signingIn).status]).toEqual([true, 303]);
    counting.mockRestore();
    await store.close();
  });

  it('opens no session when a new password was set while the old one was checked', async () => {
    const { deps, store, hasher, owner, tenant } = dashboard;
    const verify: typeof hasher.verify = async (password, stored) => {
      const matches = await hasher.verify(password, stored);
      const link = issueLink(PUBLIC_URL, MINUTE_MS, dashboard.now());
      await store.links.issuePasswordLink(tenant.tenantId, owner.userId, link, 'test');
      await store.links.redeemForPassword(link.tokenHash, await hasher.hash('another password'));
      return matches;
    };
    const late = new TestBrowser(createApp({ ...deps, hasher: { ...hasher, verify } }));
    const { status } = await late.signIn();
    expect([status, late.cookies.has(SESSION_COOKIE)]).toEqual([403, false]);
    expect((await late.get('/keys')).status).toBe(303);
  });

  it('takes the address in any case', async () => {
    expect((await browser.signIn(OWNER_EMAIL.toUpperCase())).status).toBe(303);
  });

  it('ignores a session token that the browser chose', async () => {
    const planted = randomToken();
    browser.cookies.set(SESSION_COOKIE, planted);
    await browser.signIn();
    expect(browser.cookies.get(SESSION_COOKIE)).not.toBe(planted);
    const attacker = new TestBrowser(dashboard.app);
    attacker.cookies.set(SESSION_COOKIE, planted);
    expect((await attacker.get('/')).headers['location']).toBe('/sign-in');
  });

  it('ends the browser’s previous session', async () => {
    await browser.signIn();
    const before = browser.cookies.get(SESSION_COOKIE) ?? '';
    browser.cookies.delete(SESSION_COOKIE);
    await browser.get('/sign-in');
    browser.cookies.set(SESSION_COOKIE, before);
    await browser.post('/sign-in', { email: OWNER_EMAIL, password: PASSWORD });
    const old = new TestBrowser(dashboard.app);
    old.cookies.set(SESSION_COOKIE, before);
    expect((await old.get('/')).status).toBe(303);
    expect((await browser.get('/')).status).toBe(200);
  });

  it('answers all failed sign-ins alike', async () => {
    const member = await dashboard.addUser('gone@example.org', 'member');
    await dashboard.store.users.setEnabled(dashboard.tenant.tenantId, member.userId, false, 'test');
    const answers = [
      await browser.signIn('nobody@example.org'),
      await browser.signIn(OWNER_EMAIL, 'a wrong password'),
      await browser.signIn('gone@example.org'),
    ];
    const shown = answers.map(({ status, text }) => ({
      status,
      fault: /role="alert">([\s\S]*?)<\/div>/.exec(text)?.[1],
    }));
    expect(shown[0]?.status).toBe(422);
    expect(shown[0]?.fault).toContain('is not right');
    expect(new Set(shown.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('hashes the password for unknown addresses too', async () => {
    const checked: (string | null)[] = [];
    const { hasher } = dashboard;
    const verify = hasher.verify.bind(hasher);
    hasher.verify = (password, stored) => {
      checked.push(stored);
      return verify(password, stored);
    };
    await browser.signIn('nobody@example.org');
    await browser.signIn(OWNER_EMAIL, 'a wrong password');
    expect(checked).toEqual([null, expect.stringMatching(/^scrypt\$/)]);
  });

  it.each([
    ['without an Origin', { Origin: undefined }],
    ['from another origin', { Origin: 'https://evil.example' }],
    ['from this host on another port', { Origin: 'https://dashboard.example:444' }],
    ['from an opaque origin', { Origin: 'null' }],
    ['that the browser calls cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('refuses a sign-in %s', async (_case, headers) => {
    await browser.get('/sign-in');
    const answer = await browser.post('/sign-in', { email: OWNER_EMAIL, password: PASSWORD }, headers);
    expect(answer.status).toBe(403);
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
  });

  it('refuses a form without the token of this browser', async () => {
    const other = new TestBrowser(dashboard.app);
    await other.get('/sign-in');
    await browser.get('/sign-in');
    browser.cookies.set(VISIT_COOKIE, other.cookies.get(VISIT_COOKIE) ?? '');
    expect((await browser.post('/sign-in', { email: OWNER_EMAIL, password: PASSWORD })).status).toBe(403);
    expect((await browser.post('/sign-in', { form_token: '' })).status).toBe(403);
    browser.cookies.clear();
    expect((await browser.post('/sign-in')).status).toBe(403);
  });

  it('refuses duplicate cookies', async () => {
    await browser.signIn();
    const token = browser.cookies.get(SESSION_COOKIE) ?? '';
    browser.cookies.set(SESSION_COOKIE, `${token}; ${SESSION_COOKIE}=${randomToken()}`);
    expect((await browser.get('/')).status).toBe(303);
  });

  it('ends a session by inactivity and by age', async () => {
    await browser.signIn();
    dashboard.pass(59 * MINUTE_MS);
    expect((await browser.get('/')).status).toBe(200);
    dashboard.pass(61 * MINUTE_MS);
    expect((await browser.get('/')).status).toBe(303);

    await browser.signIn();
    for (let hour = 0; hour < 13; hour += 1) {
      dashboard.pass(55 * MINUTE_MS);
      await browser.get('/');
    }
    expect((await browser.get('/')).status).toBe(200);
    dashboard.pass(10 * MINUTE_MS);
    expect((await browser.get('/')).status).toBe(303);
  });

  it('ends a session started or used while the clock was ahead', async () => {
    dashboard.pass(24 * 60 * MINUTE_MS);
    await browser.signIn();
    expect((await browser.get('/')).status).toBe(200);
    dashboard.pass(-24 * 60 * MINUTE_MS);
    expect((await browser.get('/')).status).toBe(303);

    await browser.signIn();
    for (const moved of [50, -50]) {
      dashboard.pass(moved * MINUTE_MS);
      expect((await browser.get('/')).status).toBe(200);
    }
    dashboard.pass(61 * MINUTE_MS);
    expect((await browser.get('/')).status).toBe(303);
  });

  it('says that a form was not sent after the session', async () => {
    const form = { name: 'ci', scopes: 'certify' };
    const expected = '/sign-in?done=session-ended&to=%2Fkeys';
    await browser.signIn();
    await browser.get('/keys');
    dashboard.pass(61 * MINUTE_MS);
    expect((await browser.post('/keys', form)).headers['location']).toBe(expected);
    browser.cookies.delete(SESSION_COOKIE);
    expect((await browser.post('/keys', form)).headers['location']).toBe(expected);
    expect((await browser.post('/keys', form, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.get(expected)).text).toContain('Your session has ended, and the form was not sent.');
    // No page is at the address of this form.
    const { location } = (await browser.post('/users/some-id/disable')).headers;
    expect(location).toBe('/sign-in?done=session-ended&to=%2F');
  });

  it('signs out permanently', async () => {
    await browser.signIn();
    const token = browser.cookies.get(SESSION_COOKIE) ?? '';
    const answer = await browser.post('/sign-out');
    expect(answer.headers['location']).toBe('/sign-in?done=signed-out');
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
    browser.cookies.set(SESSION_COOKIE, token);
    expect((await browser.get('/')).status).toBe(303);
    browser.cookies.clear();
    expect((await browser.get('/sign-in?done=signed-out')).text).toContain('You are signed out.');
    expect((await browser.post('/sign-out')).status).toBe(303);
  });

  it('cannot be signed out by another site', async () => {
    await browser.signIn();
    expect((await browser.post('/sign-out', {}, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.get('/')).status).toBe(200);
  });

  it('leads back to the requested page only', async () => {
    expect((await browser.get('/settings')).headers['location']).toBe('/sign-in?to=%2Fsettings');
    const filtered = '/records?model=a+b&app=%C3%A4';
    expect((await browser.get(filtered)).headers['location']).toBe(`/sign-in?to=${encodeURIComponent(filtered)}`);
    const certificate = `/records/certificate/sha256:${'0'.repeat(64)}`;
    for (const [to, place] of [
      ['/settings', '/settings'],
      [filtered, filtered],
      [certificate, certificate],
      ['/settings//evil.example', '/'],
      ['/settings/..//evil.example', '/'],
      ['/settingsandmore', '/'],
      ['/sign-out', '/'],
      ['/settings\\evil', '/'],
      ['https://evil.example/', '/'],
      ['//evil.example', '/'],
      ['/\r\nSet-Cookie: a=b', '/'],
    ] as const) {
      await browser.get(`/sign-in?to=${encodeURIComponent(to)}`);
      const answer = await browser.post('/sign-in', { email: OWNER_EMAIL, password: PASSWORD, to });
      expect(answer.headers['location']).toBe(place);
      browser.cookies.clear();
    }
  });
});

describe('attempts to sign in', () => {
  it('are counted per account across instances', async () => {
    const first = await startTestDashboard();
    const second = await startTestDashboard({ databaseUrl: first.databaseUrl });
    const browsers = [new TestBrowser(first.app), new TestBrowser(second.app)];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const answer = await browsers[attempt % 2]?.signIn(OWNER_EMAIL, 'a wrong password');
      expect(answer?.status).toBe(422);
    }
    for (const browser of browsers) {
      const answer = await browser.signIn();
      expect(answer.status).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800);
      expect(answer.text).toContain('Too many attempts');
    }
    await second.close();
    await first.close();
  });

  it('do not count when they were made while the clock was ahead', async () => {
    const dashboard = await startTestDashboard();
    const browser = new TestBrowser(dashboard.app);
    for (let attempt = 0; attempt < 6; attempt += 1) await browser.signIn(OWNER_EMAIL, 'a wrong password');
    expect((await browser.signIn()).status).toBe(429);
    const database = new Database(dashboard.databaseUrl);
    await database.run(async (db) => db('login_attempts').increment('expire', 24 * 60 * MINUTE_MS));
    await database.close();
    expect((await browser.signIn()).status).toBe(303);
    await dashboard.close();
  });

  it('are reset by a successful sign-in', async () => {
    const dashboard = await startTestDashboard();
    const browser = new TestBrowser(dashboard.app);
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await browser.signIn(OWNER_EMAIL, 'a wrong password');
      expect((await browser.signIn()).status).toBe(303);
      browser.cookies.clear();
    }
    await dashboard.close();
  });

  it('are counted per address over all accounts', async () => {
    const dashboard = await startTestDashboard({ limits: { attemptsPerAddress: 3 } });
    const browser = new TestBrowser(dashboard.app);
    for (const name of ['a', 'b', 'c']) expect((await browser.signIn(`${name}@example.org`)).status).toBe(422);
    expect((await browser.signIn()).status).toBe(429);
    await dashboard.close();
  });

  describe('of a stranger', () => {
    const STRANGER = '198.51.100.1';
    let dashboard: TestDashboard;
    let owner: TestBrowser;

    beforeEach(async () => {
      dashboard = await startTestDashboard({ limits: { attemptsPerAddress: 8 } });
      owner = new TestBrowser(dashboard.app);
    });
    afterEach(async () => {
      await dashboard.close();
    });

    const guess = async (address: string, times: number, email = OWNER_EMAIL): Promise<readonly number[]> => {
      const browser = new TestBrowser(dashboard.app, address);
      const statuses: number[] = [];
      for (let at = 0; at < times; at += 1) statuses.push((await browser.signIn(email, 'a wrong password')).status);
      return statuses;
    };
    const exhaust = async (address: string): Promise<void> => {
      expect((await guess(address, 20)).at(-1)).toBe(429);
    };
    const signInAgain = async (browser: TestBrowser, email = OWNER_EMAIL): Promise<number> => {
      browser.cookies.delete(SESSION_COOKIE);
      return (await browser.signIn(email)).status;
    };

    it('do not lock the owner out on another network', async () => {
      await exhaust(STRANGER);
      expect((await owner.signIn()).status).toBe(303);
      await exhaust(STRANGER);
    });

    it('lock out no known device on that network', async () => {
      await owner.signIn();
      await exhaust('192.0.2.1');
      expect((await new TestBrowser(dashboard.app).signIn()).status).toBe(429);
      expect(await signInAgain(owner)).toBe(303);
      const second = await startTestDashboard({ databaseUrl: dashboard.databaseUrl });
      const elsewhere = new TestBrowser(second.app);
      elsewhere.cookies.set(DEVICE_COOKIE, owner.cookies.get(DEVICE_COOKIE) ?? '');
      expect((await elsewhere.signIn()).status).toBe(303);
      await second.close();
    });

    it('are limited over all networks but admit the owner', async () => {
      for (let network = 1; network <= 5; network += 1) {
        expect(await guess(`198.51.100.${network}`, 5)).toEqual([422, 422, 422, 422, 422]);
      }
      expect(await guess('198.51.100.6', 3)).toEqual([422, 429, 429]);
      expect((await owner.signIn()).status).toBe(303);
    });

    it('count successive wrong guesses on a known device', async () => {
      await owner.signIn();
      owner.cookies.delete(SESSION_COOKIE);
      for (let at = 0; at < 5; at += 1) expect((await owner.signIn(OWNER_EMAIL, 'a wrong password')).status).toBe(422);
      expect((await owner.signIn()).status).toBe(429);
    });

    it('are not hidden by a device of another account', async () => {
      await dashboard.addUser('member@example.org', 'member');
      const member = new TestBrowser(dashboard.app);
      await member.signIn('member@example.org');
      await exhaust('192.0.2.1');
      expect(await signInAgain(member)).toBe(429);
      expect(await signInAgain(member, 'member@example.org')).toBe(303);
    });

    it('count on a device from before the password changed', async () => {
      await owner.signIn();
      const link = issueLink(PUBLIC_URL, MINUTE_MS, dashboard.now());
      const { tenant, owner: user, store, hasher } = dashboard;
      await store.links.issuePasswordLink(tenant.tenantId, user.userId, link, 'test');
      await store.links.redeemForPassword(link.tokenHash, await hasher.hash(PASSWORD));
      await exhaust('192.0.2.1');
      expect(await signInAgain(owner)).toBe(429);
    });

    it('count on a device with an altered or old cookie', async () => {
      await owner.signIn();
      const known = owner.cookies.get(DEVICE_COOKIE) ?? '';
      await exhaust('192.0.2.1');
      const [since = '', device = '', signature = ''] = known.split('.');
      const altered = [
        `${Number(since) + 1}.${device}.${signature}`,
        `${since}.${randomToken()}.${signature}`,
        `${since}.${device}.${randomToken()}`,
        `${known}.`,
        '..',
      ];
      for (const cookie of altered) {
        owner.cookies.set(DEVICE_COOKIE, cookie);
        expect(await signInAgain(owner)).toBe(429);
      }
      owner.cookies.set(DEVICE_COOKIE, known);
      dashboard.pass(181 * 24 * 60 * MINUTE_MS);
      expect(await signInAgain(owner)).toBe(429);
    });
  });

  it('leave a protected device cookie', async () => {
    const dashboard = await startTestDashboard();
    const answer = await new TestBrowser(dashboard.app).signIn();
    const set: unknown = answer.headers['set-cookie'];
    expect(Array.isArray(set) && set[1]).toMatch(
      /^__Host-dashboard_device=\d+\.[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=15552000$/,
    );
    await dashboard.close();
  });
});
