import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { createOidcProvider } from '../../src/oidc/provider.js';
import { relyingPartyOf } from '../../src/passkeys/relying-party.js';
import { SESSION_COOKIE } from '../../src/web/cookies.js';
import { cborText, SoftAuthenticator, type Answering } from '../soft-authenticator.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const MINUTE_MS = 60_000;
const RP = { origin: PUBLIC_URL, rpId: new URL(PUBLIC_URL).hostname };

interface PageOptions {
  readonly challenge: string;
  readonly user?: { readonly id: string };
  readonly excludeCredentials?: readonly { readonly id: string }[];
}

/** The options in a page. */
function optionsIn({ text }: Response): PageOptions {
  const attribute = /data-options="([^"]+)"/.exec(text)?.[1] ?? '{}';
  const json = attribute.replaceAll(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code)));
  return JSON.parse(json) as PageOptions;
}

const signedOut = (browser: TestBrowser): boolean => !browser.cookies.has(SESSION_COOKIE);

describe('a passkey', () => {
  let dashboard: TestDashboard;
  let browser: TestBrowser;
  let phone: SoftAuthenticator;

  /** Adds a passkey on the page of a signed-in browser. */
  const add = async (
    by: TestBrowser,
    device: SoftAuthenticator,
    change: Partial<Answering> = {},
  ): Promise<Response> => {
    const { challenge, user } = optionsIn(await by.get('/security'));
    const userId = Buffer.from(user?.id ?? '', 'base64url').toString('utf8');
    const credential = device.create({ ...RP, challenge, ...change }, userId);
    return by.post('/security/passkeys', { name: 'my phone', credential });
  };
  const signIn = async (
    by: TestBrowser,
    device: SoftAuthenticator,
    change: Partial<Answering> = {},
  ): Promise<Response> => {
    by.cookies.delete(SESSION_COOKIE);
    const { challenge } = optionsIn(await by.get('/sign-in'));
    return by.post('/sign-in/passkey', { credential: device.get({ ...RP, challenge, ...change }), to: '/keys' });
  };

  beforeEach(async () => {
    dashboard = await startTestDashboard();
    browser = new TestBrowser(dashboard.app);
    phone = new SoftAuthenticator();
    await browser.signIn();
    expect((await add(browser, phone)).headers['location']).toBe('/security?done=passkey-added');
  });
  afterEach(async () => {
    await dashboard.close();
  });

  it('signs in without a password and opens the requested page', async () => {
    const elsewhere = new TestBrowser(dashboard.app, '198.51.100.7');
    const answer = await signIn(elsewhere, phone);
    expect([answer.status, answer.headers['location']]).toEqual([303, '/keys']);
    expect((await elsewhere.get('/')).text).toContain(OWNER_EMAIL);
    const page = await elsewhere.get('/security');
    expect(page.text).toContain('my phone');
    expect(page.text).not.toContain('last used never');
    expect(optionsIn(page).excludeCredentials?.map(({ id }) => id)).toEqual([phone.id]);
  });

  it('replaces the code of an authenticator app', async () => {
    const { store, owner } = dashboard;
    await store.authenticators.add(owner, { keyId: 'none', sealed: 'none' }, 1, ['code']);
    expect((await signIn(browser, phone)).status).toBe(303);
  });

  it.each<[string, Partial<Answering>]>([
    ['of another origin', { origin: 'https://dashboard.example.evil.example' }],
    ['of the same name without encryption', { origin: 'http://dashboard.example' }],
    ['of another relying party', { rpId: 'evil.example' }],
    ['to a challenge that it chose', { challenge: Buffer.from('a'.repeat(40)).toString('base64url') }],
  ])('is refused with an answer %s', async (_case, change) => {
    expect((await signIn(browser, phone, change)).status).toBe(422);
    expect(signedOut(browser)).toBe(true);
    await browser.signIn();
    const tablet = new SoftAuthenticator();
    expect((await add(browser, tablet, change)).status).toBe(422);
    expect(await dashboard.store.passkeys.find(tablet.id)).toBeNull();
  });

  it('opens no session when its user was signed out while it was checked', async () => {
    const { store, owner } = dashboard;
    const use = store.passkeys.use.bind(store.passkeys);
    store.passkeys.use = async (...used) => {
      const isUsed = await use(...used);
      await store.signInWays.reset(owner, 'test');
      return isUsed;
    };
    expect((await signIn(browser, phone)).status).toBe(403);
    expect(signedOut(browser)).toBe(true);
  });

  it('is refused when an answer is sent again', async () => {
    browser.cookies.delete(SESSION_COOKIE);
    const { challenge } = optionsIn(await browser.get('/sign-in'));
    const unmoved = new SoftAuthenticator({ counts: 0 });
    await browser.signIn();
    await add(browser, unmoved);
    browser.cookies.delete(SESSION_COOKIE);
    const credential = unmoved.get({ ...RP, challenge });
    await browser.get('/sign-in');
    expect((await browser.post('/sign-in/passkey', { credential })).status).toBe(303);
    browser.cookies.delete(SESSION_COOKIE);
    await browser.get('/sign-in');
    expect((await browser.post('/sign-in/passkey', { credential })).status).toBe(422);
    expect(signedOut(browser)).toBe(true);
  });

  it("is refused with a foreign, expired or signed-in session's challenge", async () => {
    const other = new TestBrowser(dashboard.app);
    const { challenge: theirs } = optionsIn(await other.get('/sign-in'));
    expect((await signIn(browser, phone, { challenge: theirs })).status).toBe(422);
    await browser.signIn();
    const { challenge: ofSession } = optionsIn(await browser.get('/security'));
    expect((await signIn(browser, phone, { challenge: ofSession })).status).toBe(422);
    const { challenge } = optionsIn(await browser.get('/sign-in'));
    dashboard.pass(10 * MINUTE_MS + 1);
    expect((await signIn(browser, phone, { challenge })).status).toBe(422);
    expect(signedOut(browser)).toBe(true);
  });

  it('is refused when unknown, forged or naming another user', async () => {
    const stranger = new SoftAuthenticator();
    stranger.userHandle = dashboard.owner.userId;
    expect((await signIn(browser, stranger)).status).toBe(422);
    phone.credentialId.copy(stranger.credentialId);
    expect((await signIn(browser, stranger)).status).toBe(422);
    const other = await dashboard.addUser('bob@example.org', 'owner');
    phone.userHandle = other.userId;
    expect((await signIn(browser, phone)).status).toBe(422);
    expect(signedOut(browser)).toBe(true);
  });

  it('is refused without verification of its user', async () => {
    const key = new SoftAuthenticator({ verifiesUser: false });
    await browser.get('/security');
    expect((await add(browser, key)).status).toBe(422);
  });

  it('is refused when its counter decreases', async () => {
    expect((await signIn(browser, phone)).status).toBe(303);
    phone.counter = 0;
    expect((await signIn(browser, phone)).status).toBe(422);
    phone.counter = 7;
    expect((await signIn(browser, phone)).status).toBe(303);
  });

  it('is refused once removed, and its sessions end', async () => {
    const elsewhere = new TestBrowser(dashboard.app);
    await signIn(elsewhere, phone);
    await browser.get('/security');
    const removed = await browser.post(`/security/passkeys/${phone.id}/remove`);
    expect(removed.headers['location']).toBe('/security?done=passkey-removed');
    expect((await browser.get('/')).status).toBe(200);
    expect((await elsewhere.get('/')).status).toBe(303);
    expect((await signIn(elsewhere, phone)).status).toBe(422);
    const acts = (await dashboard.store.acts(dashboard.tenant.tenantId, 20)).map(({ act }) => act);
    expect(acts).toEqual(expect.arrayContaining(['passkey added', 'passkey removed']));
  });

  it('is refused for a disabled user and after a reset', async () => {
    const bob = await dashboard.addUser('bob@example.org', 'member');
    const [bobs, key] = [new TestBrowser(dashboard.app), new SoftAuthenticator()];
    await bobs.signIn('bob@example.org');
    await add(bobs, key);
    await browser.get('/users');
    await browser.post(`/users/${bob.userId}/disable`);
    expect((await signIn(bobs, key)).status).toBe(422);
    await browser.post(`/users/${bob.userId}/enable`);
    expect((await signIn(bobs, key)).status).toBe(303);
    await browser.post(`/users/${bob.userId}/reset-sign-in`);
    expect((await bobs.get('/')).status).toBe(303);
    expect((await signIn(bobs, key)).status).toBe(422);
  });

  it('is added once, by a recent session of its user', async () => {
    expect((await add(browser, phone)).status).toBe(422);
    await dashboard.addUser('bob@example.org', 'member');
    const bobs = new TestBrowser(dashboard.app);
    await bobs.signIn('bob@example.org');
    expect((await add(bobs, phone)).status).toBe(422);
    expect((await bobs.post(`/security/passkeys/${phone.id}/remove`)).status).toBe(404);
    const { challenge } = optionsIn(await browser.get('/security'));
    const late = new SoftAuthenticator();
    const credential = late.create({ ...RP, challenge }, dashboard.owner.userId);
    dashboard.pass(10 * MINUTE_MS + 1);
    expect((await browser.post('/security/passkeys', { name: 'late', credential })).status).toBe(403);
    expect((await browser.post(`/security/passkeys/${phone.id}/remove`)).status).toBe(403);
    expect((await browser.get('/security')).text).not.toContain('data-passkey');
  });

  it.each(['', 'x', '{}', '{"id":"a"}', '[1]', JSON.stringify({ id: 'a', response: { clientDataJSON: '!' } })])(
    'is refused, not an error, for other text: %s',
    async (credential) => {
      await browser.get('/security');
      expect((await browser.post('/security/passkeys', { name: 'a', credential })).status).toBe(422);
      browser.cookies.delete(SESSION_COOKIE);
      await browser.get('/sign-in');
      expect((await browser.post('/sign-in/passkey', { credential })).status).toBe(422);
    },
  );

  it('is refused with an attestation that names an address', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { challenge } = optionsIn(await browser.get('/security'));
    const certificate = Buffer.from(`http://127.0.0.1:${port}/crl`);
    const cbor = Buffer.concat([
      ...[Buffer.from([0xa1]), cborText('x5c'), Buffer.from([0x81, 0x58, certificate.length]), certificate],
    ]);
    const key = new SoftAuthenticator();
    const asked2 = { ...RP, challenge };
    const credential = key.create(asked2, dashboard.owner.userId, { format: 'packed', cbor });
    expect((await browser.post('/security/passkeys', { name: 'a', credential })).status).toBe(422);
    expect(dashboard.logLines.join('')).toContain('an attestation with certificates');
    expect(asked).toEqual([]);
    server.close();
  });

  it('needs scripts only on the sign-in and security pages', async () => {
    const policies = new Map<string, string>();
    for (const path of ['/', '/keys', '/security']) {
      policies.set(path, String((await browser.get(path)).headers['content-security-policy']));
    }
    browser.cookies.clear();
    policies.set('/sign-in', String((await browser.get('/sign-in')).headers['content-security-policy']));
    const scripted = [...policies].filter(([, policy]) => policy.includes('script-src')).map(([path]) => path);
    expect(scripted).toEqual(['/security', '/sign-in']);
    for (const policy of policies.values()) expect(policy).not.toContain('unsafe');
  });
});

describe('passkeys beside a provider', () => {
  const oidc = {
    provider: createOidcProvider({
      ...{ issuer: 'http://127.0.0.1:9', clientId: 'dashboard', clientSecret: 'a secret of the tests' },
      redirectUri: `${PUBLIC_URL}/sign-in/oidc/callback`,
    }),
    tenantName: 'Acme',
    roles: { claim: 'groups', values: { owner: ['admins'], member: [], reviewer: [], auditor: [] } },
    sessionMs: 60 * MINUTE_MS,
  };

  it('do not open provider accounts and work without passwords', async () => {
    const before = await startTestDashboard();
    const { store, tenant, owner } = before;
    const linked = await before.addUser('linked@example.org', 'member');
    const devices = new Map<string, SoftAuthenticator>();
    for (const { email, userId } of [owner, linked]) {
      const [browser, device] = [new TestBrowser(before.app), new SoftAuthenticator()];
      await browser.signIn(email);
      const { challenge } = optionsIn(await browser.get('/security'));
      await browser.post('/security/passkeys', {
        name: 'key',
        credential: device.create({ ...RP, challenge }, userId),
      });
      devices.set(email, device);
    }
    const person = { issuer: 'http://127.0.0.1:9', subject: 'linked', tenantId: tenant.tenantId, name: 'L' };
    await store.users.signInByProvider({ ...person, email: linked.email, role: 'member' });

    const statusOf = async (passwordSignIn: boolean, email: string): Promise<readonly [number, string]> => {
      const dashboard = await startTestDashboard({ databaseUrl: before.databaseUrl, oidc, passwordSignIn });
      const browser = new TestBrowser(dashboard.app);
      const { challenge } = optionsIn(await browser.get('/sign-in'));
      const credential = devices.get(email)?.get({ ...RP, challenge }) ?? '';
      const { status, text } = await browser.post('/sign-in/passkey', { credential });
      const security = await browser.get('/security');
      await dashboard.close();
      return [status, status === 303 ? security.text : text];
    };
    expect((await statusOf(true, linked.email))[0]).toBe(303);
    const [status, text] = await statusOf(false, linked.email);
    expect([status, text.includes('You sign in with your organisation')]).toEqual([422, true]);
    const [owned, page] = await statusOf(false, owner.email);
    expect(owned).toBe(303);
    // An app is offered to those alone who sign in with a password.
    expect(page).toContain('you do not sign in with a password here');
    await before.close();
  });
});

describe('the relying party', () => {
  it.each([
    ['https://dashboard.example:8443', { id: 'dashboard.example', origin: 'https://dashboard.example:8443' }],
    ['http://localhost:4400', { id: 'localhost', origin: 'http://localhost:4400' }],
    ['http://127.0.0.1:4400', null],
    ['http://[::1]:4400', null],
  ])('of %s', (publicUrl, expected) => {
    expect(relyingPartyOf(publicUrl)).toEqual(expected);
  });

  it('is missing at an address, and the page says so', async () => {
    const dashboard = await startTestDashboard({ publicUrl: 'http://127.0.0.1:4400' });
    const browser = new TestBrowser(dashboard.app);
    expect((await browser.get('/sign-in')).text).not.toContain('data-passkey');
    await browser.post(
      '/sign-in',
      { email: OWNER_EMAIL, password: 'correct horse battery' },
      { Origin: 'http://127.0.0.1:4400' },
    );
    const { text } = await browser.get('/security');
    expect(text).toContain('no host name');
    expect(text).not.toContain('data-passkey');
    await dashboard.close();
  });
});
