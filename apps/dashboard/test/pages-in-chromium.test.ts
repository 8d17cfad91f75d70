import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { describeInChromium, launchChromium, auditPage, newPage, type Browser, type Page } from '@cer/test-browser';
import { generateSync } from 'otplib';
import { coveragePage } from '../src/coverage/coverage-page.js';
import { issueLink, SET_UP_MS } from '../src/links/one-time-link.js';
import { createOidcProvider } from '../src/oidc/provider.js';
import { PLACES } from '../src/web/document.js';
import { serveDashboard, type ServedDashboard } from './served-dashboard.js';
import { OWNER_EMAIL, PASSWORD } from './test-dashboard.js';

/** Each page is checked three times by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

/** The pages show that there is a provider; nothing listens at its address. */
const PROVIDER_AWAY = {
  provider: createOidcProvider({
    ...{ issuer: 'http://127.0.0.1:1', clientId: 'dashboard', clientSecret: 'a secret of the tests' },
    redirectUri: 'http://127.0.0.1:1/sign-in/oidc/callback',
  }),
  tenantName: 'Acme',
  roles: { claim: 'groups', values: { owner: [], member: [], reviewer: [], auditor: [] } },
  sessionMs: 60_000,
};

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

describeInChromium('every page, in both modes and on phones', () => {
  let served: ServedDashboard;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    served = await serveDashboard({ limits: { attemptsPerAccount: 4 }, oidc: PROVIDER_AWAY });
    browser = await launchChromium();
    page = await newPage(browser);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // Chromium reports the status of refusals that are pages.
      if (!/status of 4\d\d|status of 503/.test(message.text())) complaints.push(message.text());
    });
  });

  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(served.url + path);
  const press = (selector: string): Promise<unknown> => Promise.all([page.waitForNavigation(), page.click(selector)]);
  const heading = (): Promise<string> => page.$eval('h1', (element) => element.textContent);
  const see = async (title: string, name: string): Promise<void> => {
    expect(await heading()).toBe(title);
    await auditPage(page, name);
  };
  const enter = async (email: string, password: string): Promise<void> => {
    await page.$eval('#email', (element) => {
      (element as HTMLInputElement).value = '';
    });
    await page.type('#email', email);
    await page.type('#password', password);
    await press('main form button');
  };
  const asks = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    // Client-side validation is off, so that the server's own answer is shown.
    await page.$$eval('main form', (forms) => {
      for (const form of forms) form.setAttribute('novalidate', '');
    });
    for (const [name, value] of Object.entries(fields)) await page.type(`#${name}`, value);
  };

  it('of the set-up link', async () => {
    const link = issueLink(served.url, SET_UP_MS, served.dashboard.now());
    await served.dashboard.store.links.issueSetUpLink(link);
    await page.goto(link.url);
    await see('Set up', 'set-up');
    await asks({ tenant: 'Example Ltd', email: 'nobody', password: 'short' });
    await press('main form button');
    await see('Set up', 'set-up-faults');
  });

  it('of a link for a password: valid and expired', async () => {
    const { store, owner, now } = served.dashboard;
    const link = issueLink(served.url, SET_UP_MS, now());
    await store.links.issuePasswordLink(owner.tenantId, owner.userId, link, 'test');
    await page.goto(link.url);
    await see('Choose a password', 'password-link');
    await open(`/link/${'A'.repeat(43)}`);
    await see('Not found', 'link-over');
  });

  it('of signing in', async () => {
    await open('/sign-in');
    await see('Sign in', 'sign-in');
    await press('main a.button');
    await see('This did not work', 'sign-in-provider-away');
    await open('/sign-in');
    await enter(OWNER_EMAIL, 'not the password');
    await see('Sign in', 'sign-in-refused');
    for (let attempt = 0; attempt < 5; attempt += 1) await enter('somebody@example.org', 'not the password');
    expect(await page.$eval('[role=alert]', (element) => element.textContent)).toContain('Too many attempts');
    await see('Sign in', 'sign-in-limited');
    await enter(OWNER_EMAIL, PASSWORD);
  });

  it('of a new account', async () => {
    await see('Overview', 'overview-new');
    for (const [path, title] of PLACES.slice(1)) {
      await open(path);
      await see(title, `new-${path.slice(1)}`);
    }
  });

  it('of API keys: made, shown once, rotated, revoked', async () => {
    await open('/keys');
    await asks({});
    await page.click('#scopes-certify');
    await press('main form button');
    await see('API keys', 'key-faults');
    await open('/keys');
    await page.type('#name', 'production');
    await page.click('#scopes-ingest');
    await press('main form button');
    await see('Copy your new key now', 'key-issued');
    await press('main a.button');
    await press('main .acts a[href$="/rotate"]');
    await see('Rotate production', 'key-rotate');
    await press('main form button');
    await see('Copy your new key now', 'key-rotated');
    await open('/keys');
    await page.type('#name', 'an-old-service-with-a-name-that-is-as-long-as-anybody-would-ever-want-to-type-it');
    await press('main form button');
    await press('main a.button');
    await press('main .acts a[href$="/revoke"]');
    await auditPage(page, 'key-revoke');
    await press('main form button');
    await see('API keys', 'keys');
  });

  it('of shared links: made, listed, revoked, opened', async () => {
    await open(`/shares/new?certificate=sha256:${'a'.repeat(64)}`);
    await see('Share a link', 'share-certificate');
    await open('/shares/new?model=large&provider=example');
    await see('Share a link', 'share-set');
    await press('main form button');
    await see('Copy the link now', 'share-made');
    const link = await page.$eval('main pre', (element) => element.textContent);
    await open('/shares');
    await see('Shared links', 'shares');
    await press('main form button');
    await see('Shared links', 'share-revoked');
    await page.goto(link);
    await see('This link has ended', 'shared-ended');
    await open('/shared/unknown');
    await see('Not found', 'shared-unknown');
    await open('/');
  });

  it('of users: added by a link, disabled', async () => {
    await open('/users');
    await asks({ email: OWNER_EMAIL });
    await press('main section form button');
    await see('Users', 'user-faults');
    await open('/users');
    await page.type('#name', 'Bo Example');
    await page.type('#email', 'bo.with.a.very.long.address.of.forty.and.more.characters@subsidiary.example.org');
    await press('main section form button');
    await see('Hand this link over', 'user-link');
    const other = await served.dashboard.addUser('cy@example.org', 'member');
    await open('/users');
    await press(`form[action="/users/${other.userId}/disable"] button`);
    await see('Users', 'users');
  });

  it('of plan and usage, with a limit nearly reached', async () => {
    const { store, tenant } = served.dashboard;
    const limits = { requestsPerMinute: 600, executionsPerMonth: 10_000 };
    await store.tenants.putPlan({ name: 'Team', bridge: true, limits });
    await store.tenants.assignPlan(tenant.tenantId, 'Team', 'test');
    const { tenantId } = tenant;
    await store.usage.record('report-0001', [
      { tenantId, kind: 'certify', count: 9412 },
      { tenantId, kind: 'ingest', count: 8120 },
      { tenantId, kind: 'render', count: 7 },
    ]);
    await open('/usage');
    await see('Plan and usage', 'usage');
    await open('/');
    await see('Overview', 'overview');
  });

  it('of coverage, with tables that a screen of 1280 pixels shows whole', async () => {
    const names = [null, 'travel-desk', 'a'.repeat(256)];
    const counts = { certified: 123_456, reports: 1, refused: 12_345, reported: null, bridgeRefused: 1234 };
    const refusals = { EXECUTION_MUTATION_DETECTED: 12_000, VALIDATION_ERROR: 345 };
    const days = names.map((appId) => ({ day: '2026-01-01', appId, ...counts, refusals }));
    const coverage = { from: '2026-01-01', to: '2026-01-01', isCounted: true, days };
    // The page of a dashboard without a node, with what a node would have counted.
    await open('/coverage');
    const { body } = coveragePage({ coverage, appId: null });
    await page.$eval(
      'main',
      (main, markup) => {
        main.insertAdjacentHTML('beforeend', markup);
      },
      body.text,
    );
    await page.setViewport({ width: 1280, height: 900 });
    const isWhole = await page.$$eval('.scroll:has(table)', (boxes) =>
      boxes.map(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
    );
    expect(isWhole).toEqual([true, true]);
    await see('Coverage', 'coverage');
  });

  it('of settings: refused, saved', async () => {
    await open('/settings');
    await asks({ retentionDays: '0' });
    await press('main form button');
    await see('Settings', 'settings-faults');
    await open('/settings');
    await press('main form button');
    await see('Settings', 'settings-saved');
    await open('/activity');
    await see('Activity', 'activity');
  });

  it('of signing in with an authenticator app: added, asked for, refused', async () => {
    await open('/security');
    await see('Your sign-in', 'security');
    await press('form[action="/security/authenticator"] button');
    await see('Add an authenticator app', 'authenticator-add');
    await asks({ code: '000000' });
    await press('main form button');
    await see('Add an authenticator app', 'authenticator-wrong');
    const secret = (await page.$eval('.once', (element) => element.textContent)).replaceAll(/\s/g, '');
    const codeNow = (): string => generateSync({ secret, epoch: served.dashboard.now().getTime() / 1000 });
    await page.type('#code', codeNow());
    await press('main form button');
    await see('Keep your recovery codes', 'recovery-codes');
    await press('main a.button');
    await see('Your sign-in', 'security-authenticator');
    served.dashboard.pass(11 * 60_000);
    await open('/security');
    await see('Your sign-in', 'security-old-session');
    await press('main a.button');
    await enter(OWNER_EMAIL, PASSWORD);
    await see('Enter your code', 'code');
    await page.type('#code', '000000');
    await press('main form button');
    await see('Enter your code', 'code-refused');
    await page.type('#code', codeNow());
    await press('main form button');
    await see('Your sign-in', 'security-signed-in-again');
    await press('form[action="/security/authenticator/remove"] button');
    await see('Your sign-in', 'authenticator-removed');
  });

  it('of errors', async () => {
    await open('/no-such-page');
    await see('Not found', 'not-found');
    await open(`/keys/${'0'.repeat(8)}/rotate`);
    await see('Not found', 'no-such-key');
    await open('/users');
    await page.$eval('main section form [name=form_token]', (element) => {
      (element as HTMLInputElement).value = 'forged';
    });
    await page.type('#name', 'Bo');
    await page.type('#email', 'bo@example.org');
    await press('main section form button');
    await see('Not allowed', 'not-allowed');
  });

  it('of a plan without the bridge, and of a suspended account', async () => {
    const { store, tenant } = served.dashboard;
    const limits = { requestsPerMinute: null, executionsPerMonth: null };
    await store.tenants.putPlan({ name: 'Team', bridge: false, limits });
    await open('/integrations');
    await see('Integrations', 'integrations-no-bridge');
    await store.tenants.putPlan({ name: 'Team', bridge: true, limits });
    await store.tenants.setStatus(tenant.tenantId, 'suspended', 'test');
    for (const [path, title] of PLACES) {
      await open(path);
      await see(title, `suspended-${path === '/' ? 'overview' : path.slice(1)}`);
    }
    await store.tenants.setStatus(tenant.tenantId, 'active', 'test');
  });

  it('of a member, and after signing out', async () => {
    await press('header form button');
    await see('Sign in', 'signed-out');
    await served.dashboard.addUser('member@example.org', 'member');
    await enter('member@example.org', PASSWORD);
    for (const path of ['/keys', '/users', '/settings']) {
      await open(path);
      await auditPage(page, `member-${path.slice(1)}`);
    }
  });

  it('after an expired session, without a database', async () => {
    served.dashboard.pass(WEEK_MS);
    await open('/keys');
    await see('Sign in', 'session-over');
    await served.dashboard.store.close();
    await open('/link/' + 'A'.repeat(43));
    await auditPage(page, 'database-gone');
  });

  it('never violated the content security policy', () => {
    expect(complaints).toEqual([]);
  });
});
