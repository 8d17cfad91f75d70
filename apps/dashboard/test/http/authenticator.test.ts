import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateSync } from 'otplib';
import type { Response } from 'supertest';
import { issueLink } from '../../src/links/one-time-link.js';
import { DEVICE_COOKIE, SESSION_COOKIE } from '../../src/web/cookies.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, PASSWORD, PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const MINUTE_MS = 60_000;
const STEP_MS = 30_000;

describe('an authenticator app', () => {
  let dashboard: TestDashboard;
  let owner: TestBrowser;
  let secret: string;
  let recoveryCodes: readonly string[];

  const codeNow = (drift = 0): string =>
    generateSync({ secret, epoch: Math.floor(dashboard.now().getTime() / 1000) + drift });
  const field = (answer: Response, name: string): string =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(answer.text)?.[1] ?? '';

  const add = async (browser: TestBrowser): Promise<Response> => {
    await browser.get('/security');
    const page = await browser.post('/security/authenticator');
    secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const done = await browser.post('/security/authenticator/confirm', {
      sealed: field(page, 'sealed'),
      code: codeNow(),
    });
    recoveryCodes = [...done.text.matchAll(/<li><code>([a-z2-7-]{19})<\/code>/g)].map(([, code = '']) => code);
    return done;
  };
  /** The first step, which answers with the page of the code. */
  const firstStep = async (browser: TestBrowser): Promise<Response> => {
    browser.cookies.delete(SESSION_COOKIE);
    const page = await browser.signIn();
    expect([page.status, page.text.includes('Enter your code')]).toEqual([200, true]);
    return page;
  };
  const sendCode = async (browser: TestBrowser, page: Response, code: string): Promise<Response> =>
    browser.post('/sign-in/code', { ticket: field(page, 'ticket'), code });
  const signInWith = async (browser: TestBrowser, code: string): Promise<number> =>
    (await sendCode(browser, await firstStep(browser), code)).status;

  beforeEach(async () => {
    dashboard = await startTestDashboard();
    owner = new TestBrowser(dashboard.app);
    await owner.signIn();
    await add(owner);
    dashboard.pass(STEP_MS);
  });
  afterEach(async () => {
    await dashboard.close();
  });

  it('is added with ten recovery codes and ends every other session', async () => {
    await dashboard.addUser('bob@example.org', 'member');
    const [bob, elsewhere] = [new TestBrowser(dashboard.app), new TestBrowser(dashboard.app)];
    await elsewhere.signIn('bob@example.org');
    await bob.signIn('bob@example.org');
    const before = bob.cookies.get(SESSION_COOKIE);
    expect((await add(bob)).status).toBe(200);
    expect(recoveryCodes).toHaveLength(10);
    expect(bob.cookies.get(SESSION_COOKIE)).not.toBe(before);
    expect((await bob.get('/security')).text).toContain('in use');
    expect((await elsewhere.get('/')).status).toBe(303);
  });

  it.each(['auditor', 'reviewer'] as const)('is added and required for the role %s', async (role) => {
    await dashboard.addUser('eve@example.org', role);
    const eve = new TestBrowser(dashboard.app);
    await eve.signIn('eve@example.org');
    expect((await add(eve)).status).toBe(200);
    eve.cookies.delete(SESSION_COOKIE);
    const page = await eve.signIn('eve@example.org');
    expect([page.text.includes('Enter your code'), eve.cookies.has(SESSION_COOKIE)]).toEqual([true, false]);
    dashboard.pass(STEP_MS);
    expect((await sendCode(eve, page, codeNow())).status).toBe(303);
    await eve.get('/security');
    expect((await eve.post('/security/authenticator/remove')).status).toBe(303);
  });

  it('is asked for after the password, before any session', async () => {
    const page = await firstStep(owner);
    expect(owner.cookies.has(SESSION_COOKIE)).toBe(false);
    const answer = await sendCode(owner, page, codeNow());
    expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
    expect((await owner.get('/')).status).toBe(200);
  });

  it('accepts a code once, and none before it', async () => {
    const code = codeNow();
    expect(await signInWith(owner, code)).toBe(303);
    expect(await signInWith(owner, code)).toBe(422);
    expect(await signInWith(owner, codeNow(-30))).toBe(422);
    dashboard.pass(STEP_MS);
    expect(await signInWith(owner, codeNow())).toBe(303);
  });

  it('accepts one of two uses at the same time', async () => {
    const browsers = [0, 1, 2].map(() => new TestBrowser(dashboard.app));
    const pages = await Promise.all(browsers.map(firstStep));
    const code = codeNow();
    const answers = await Promise.all(
      browsers.map(async (browser, at) => {
        const page = pages[at];
        return page === undefined ? 0 : (await sendCode(browser, page, code)).status;
      }),
    );
    expect(answers.toSorted()).toEqual([303, 422, 422]);
  });

  it('does not accept the code that added it', async () => {
    dashboard.pass(-STEP_MS);
    expect(await signInWith(owner, codeNow())).toBe(422);
  });

  it('accepts each recovery code once', async () => {
    const [first = '', second = ''] = recoveryCodes;
    expect(await signInWith(owner, first)).toBe(303);
    expect(await signInWith(owner, first)).toBe(422);
    expect(await signInWith(owner, second.toUpperCase().replaceAll('-', ' '))).toBe(303);
    expect((await owner.get('/security')).text).toContain('<dd>8</dd>');
    const acts = (await dashboard.store.acts(dashboard.tenant.tenantId, 20)).map(({ act }) => act);
    expect(acts.filter((act) => act === 'recovery code used')).toHaveLength(2);
    expect(acts).toContain('code refused');
  });

  it('replaces the old recovery codes', async () => {
    await signInWith(owner, codeNow());
    const [old = ''] = recoveryCodes;
    await owner.get('/security');
    const { text } = await owner.post('/security/recovery-codes');
    const [fresh = ''] = [...text.matchAll(/<li><code>([a-z2-7-]{19})/g)].map(([, code = '']) => code);
    expect(await signInWith(owner, old)).toBe(422);
    expect(await signInWith(owner, fresh)).toBe(303);
  });

  it('makes recovery codes once of a form that is sent twice', async () => {
    await signInWith(owner, codeNow());
    const id = /name="form_id" value="([^"]+)"/.exec((await owner.get('/security')).text)?.[1];
    const form = id === undefined ? {} : { form_id: id };
    const send = () => owner.post('/security/recovery-codes', form);
    const answers = await Promise.all([send(), send()]);
    answers.push(await send());
    const [shown = '', ...more] = answers.flatMap(({ text }) => /<li><code>([a-z2-7-]{19})/.exec(text)?.[1] ?? []);
    expect(more).toEqual([]);
    const others = answers.filter(({ text }) => text.includes('This form was sent before and made the codes'));
    expect(others.map(({ status }) => status)).toEqual([400, 400]);
    expect(await signInWith(owner, shown)).toBe(303);
    expect((await owner.get('/security')).text).toContain('<dd>9</dd>');
  });

  it('refuses a code from another browser, late or after password change', async () => {
    const page = await firstStep(owner);
    const thief = new TestBrowser(dashboard.app);
    await thief.get('/sign-in');
    const stolen = await sendCode(thief, page, codeNow());
    expect([stolen.status, stolen.text.includes('Sign in again')]).toEqual([422, true]);
    dashboard.pass(5 * MINUTE_MS + 1);
    expect((await sendCode(owner, page, codeNow())).status).toBe(422);

    const again = await firstStep(owner);
    const link = issueLink(PUBLIC_URL, MINUTE_MS, dashboard.now());
    const { store, tenant, owner: user, hasher } = dashboard;
    await store.links.issuePasswordLink(tenant.tenantId, user.userId, link, 'test');
    await store.links.redeemForPassword(link.tokenHash, await hasher.hash('another long password'));
    expect((await sendCode(owner, again, codeNow())).status).toBe(422);
    expect(owner.cookies.has(SESSION_COOKIE)).toBe(false);
  });

  it('takes no altered ticket', async () => {
    const ticket = field(await firstStep(owner), 'ticket');
    const [until = '', claims = '', signature = ''] = ticket.split('.');
    const altered = [
      `${Number(until) + 1}.${claims}.${signature}`,
      `${until}.${claims}x.${signature}`,
      `${ticket}.x`,
      '',
    ];
    for (const one of altered) {
      expect((await owner.post('/sign-in/code', { ticket: one, code: codeNow() })).status).toBe(422);
    }
    expect(owner.cookies.has(SESSION_COOKIE)).toBe(false);
  });

  it('is asked for after a password link too', async () => {
    const { store, tenant, owner: user, now } = dashboard;
    const link = issueLink(PUBLIC_URL, MINUTE_MS, now());
    await store.links.issuePasswordLink(tenant.tenantId, user.userId, link, 'test');
    const browser = new TestBrowser(dashboard.app);
    await browser.get(new URL(link.url).pathname);
    const page = await browser.post(new URL(link.url).pathname, { password: 'a new long password' });
    expect([page.status, page.text.includes('Enter your code')]).toEqual([200, true]);
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
    expect((await sendCode(browser, page, codeNow())).status).toBe(303);
  });

  describe('under guesses of a stranger with the password', () => {
    const exhaust = async (): Promise<void> => {
      const statuses: number[] = [];
      for (let at = 0; at < 7; at += 1) {
        const stranger = new TestBrowser(dashboard.app, `198.51.100.${at}`);
        statuses.push(await signInWith(stranger, '000000'));
      }
      expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429]);
    };

    it('limits them over all networks but admits the known device', async () => {
      await exhaust();
      expect(owner.cookies.has(DEVICE_COOKIE)).toBe(true);
      expect(await signInWith(owner, codeNow())).toBe(303);
    });

    it('admits the owner by a recovery code on a new device', async () => {
      await exhaust();
      const device = new TestBrowser(dashboard.app, '203.0.113.9');
      dashboard.pass(STEP_MS);
      expect(await signInWith(device, codeNow())).toBe(429);
      expect(await signInWith(device, recoveryCodes[0] ?? '')).toBe(303);
    });

    it('counts guesses on a known device too', async () => {
      for (let at = 0; at < 5; at += 1) expect(await signInWith(owner, '000000')).toBe(422);
      expect(await signInWith(owner, codeNow())).toBe(429);
    });

    it('does not know devices from before the app', async () => {
      await dashboard.addUser('bob@example.org', 'member');
      const [bob, before] = [new TestBrowser(dashboard.app), new TestBrowser(dashboard.app)];
      await before.signIn('bob@example.org');
      const old = before.cookies.get(DEVICE_COOKIE);
      await bob.signIn('bob@example.org');
      await add(bob);
      for (let at = 0; at < 6; at += 1) {
        before.cookies.delete(SESSION_COOKIE);
        const page = await before.signIn('bob@example.org');
        await sendCode(before, page, '000000');
      }
      expect(before.cookies.get(DEVICE_COOKIE)).toBe(old);
      const page = await before.signIn('bob@example.org');
      dashboard.pass(STEP_MS);
      expect((await sendCode(before, page, codeNow())).status).toBe(429);
    });
  });

  it('is changed only shortly after signing in', async () => {
    await signInWith(owner, codeNow());
    dashboard.pass(10 * MINUTE_MS + 1);
    const page = await owner.get('/security');
    expect(page.text).toContain('sign in again');
    expect(page.text).not.toContain('action="/security');
    for (const path of ['authenticator', 'authenticator/confirm', 'authenticator/remove', 'recovery-codes']) {
      expect([path, (await owner.post(`/security/${path}`)).status]).toEqual([path, 403]);
    }
    const form = await owner.get('/sign-in?again=yes&to=/security');
    expect(form.status).toBe(200);
    const code = await owner.post('/sign-in', { email: OWNER_EMAIL, password: PASSWORD, to: '/security' });
    const back = await owner.post('/sign-in/code', { ticket: field(code, 'ticket'), code: codeNow(), to: '/security' });
    expect(back.headers['location']).toBe('/security');
    await owner.get('/security');
    const removed = await owner.post('/security/authenticator/remove');
    expect(removed.headers['location']).toBe('/security?done=authenticator-removed');
    owner.cookies.delete(SESSION_COOKIE);
    expect((await owner.signIn()).status).toBe(303);
  });

  it('is not added by a wrong code, old or foreign form', async () => {
    await dashboard.addUser('bob@example.org', 'member');
    await dashboard.addUser('cy@example.org', 'member');
    const [bob, cy] = [new TestBrowser(dashboard.app), new TestBrowser(dashboard.app)];
    await bob.signIn('bob@example.org');
    await cy.signIn('cy@example.org');
    await bob.get('/security');
    const page = await bob.post('/security/authenticator');
    secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const sealed = field(page, 'sealed');
    expect(sealed).not.toContain(secret);
    const wrong = await bob.post('/security/authenticator/confirm', { sealed, code: '000000' });
    expect([wrong.status, wrong.text.includes(secret.slice(0, 4))]).toEqual([422, true]);
    expect((await bob.post('/security/authenticator/confirm', { sealed: 'x.y', code: codeNow() })).status).toBe(403);
    await cy.get('/security');
    expect((await cy.post('/security/authenticator/confirm', { sealed, code: codeNow() })).status).toBe(403);
    dashboard.pass(15 * MINUTE_MS + 1);
    expect((await bob.post('/security/authenticator/confirm', { sealed, code: codeNow() })).status).toBe(403);
    expect(await dashboard.store.authenticators.keyIds()).toHaveLength(1);
  });

  it('is reset by an owner and ends the sessions', async () => {
    await dashboard.addUser('second@example.org', 'owner');
    await signInWith(owner, codeNow());
    const second = new TestBrowser(dashboard.app);
    await second.signIn('second@example.org');
    await second.get('/users');
    const { userId } = dashboard.owner;
    expect((await second.post(`/users/${userId}/reset-sign-in`)).status).toBe(303);
    expect((await owner.get('/')).status).toBe(303);
    expect((await owner.signIn()).status).toBe(303);
    expect((await owner.post(`/users/${userId}/reset-sign-in`)).status).toBe(403);
  });

  it('leaves no secret or recovery code in database or log', async () => {
    await signInWith(owner, recoveryCodes[1] ?? '');
    const written = `${await dashboard.everythingInDatabase()}${dashboard.logLines.join('')}`;
    for (const kept of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
      expect(written).not.toContain(kept);
    }
  });
});

describe('without a secrets file', () => {
  it('offers no authenticator app and says so', async () => {
    const dashboard = await startTestDashboard({ hasSecrets: false });
    const browser = new TestBrowser(dashboard.app);
    await browser.signIn();
    const { text } = await browser.get('/security');
    expect(text).toContain('has not set SECRETS_KEY_FILE');
    expect(text).not.toContain('Add an authenticator app');
    expect((await browser.post('/security/authenticator')).status).toBe(403);
    await dashboard.close();
  });
});
