import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { newKeyPair } from '@cer/http-service/process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { OidcSignIn } from '../../src/oidc/oidc-routes.js';
import { createOidcProvider } from '../../src/oidc/provider.js';
import { startForgingProvider, type ForgingProvider } from '../forging-provider.js';
import { TestBrowser } from '../test-browser.js';
import { OWNER_EMAIL, PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

const REDIRECT_URI = `${PUBLIC_URL}/sign-in/oidc/callback`;
const CLIENT_ID = 'dashboard';
const CLIENT_SECRET = 'a-client-secret-of-the-tests';
const HOUR_MS = 60 * 60_000;

const signInWith = (issuer: string): OidcSignIn => ({
  provider: createOidcProvider({ issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUri: REDIRECT_URI }),
  tenantName: 'Acme',
  roles: { claim: 'groups', values: { owner: ['admins'], member: ['staff'], reviewer: [], auditor: ['audit'] } },
  sessionMs: HOUR_MS,
});

interface Person {
  readonly sub: string;
  readonly email: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

describe('single sign-on at a real provider', () => {
  let provider: ChildProcess;
  let dashboard: TestDashboard;

  beforeAll(async () => {
    const script = join(__dirname, '..', 'oidc-provider.mjs');
    provider = spawn(process.execPath, [script, REDIRECT_URI, CLIENT_ID, CLIENT_SECRET], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    if (provider.stdout === null) throw new Error('the provider has no output');
    const lines = createInterface(provider.stdout);
    const [issuer] = (await once(lines, 'line')) as [string];
    lines.close();
    dashboard = await startTestDashboard({ oidc: signInWith(issuer) });
  });

  afterAll(async () => {
    const ended = once(provider, 'exit');
    provider.stdin?.end();
    await ended;
    await dashboard.close();
  });

  /** Acts as a browser at the provider. @returns the address of the callback */
  const atProvider = async (start: string, person: Person | null): Promise<string> => {
    const cookies = new Map<string, string>();
    for (let address = start, hop = 0; hop < 10; hop += 1) {
      if (address.startsWith(PUBLIC_URL)) return address;
      const headers = {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(person !== null && { 'x-person': JSON.stringify(person) }),
      };
      const answer = await fetch(address, { redirect: 'manual', headers });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const next = answer.headers.get('location');
      if (next === null) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
      address = new URL(next, address).href;
    }
    throw new Error('the provider redirects without end');
  };
  const callbackFor = async (browser: TestBrowser, person: Person | null): Promise<string> => {
    const start = await browser.get('/sign-in/oidc');
    expect(start.status).toBe(303);
    return atProvider(start.headers['location'] ?? '', person);
  };
  const signIn = async (person: Person | null, browser = new TestBrowser(dashboard.app)) => {
    const answer = await browser.get(pathOf(await callbackFor(browser, person)));
    return { answer, browser };
  };
  const person = (groups: readonly string[], members: Partial<Person> = {}): Person => {
    const sub = randomUUID();
    return { sub, email: `${sub}@example.org`, email_verified: true, name: 'Ada', groups, ...members };
  };
  const userOf = async (email: string) => (await dashboard.store.users.findForLogin(email))?.user;

  it('creates an account with the role of its groups', async () => {
    const ada = person(['staff', 'admins', 'other']);
    const { answer, browser } = await signIn(ada);
    expect([answer.status, answer.headers['location']]).toEqual([303, '/']);
    expect((await browser.get('/')).text).toContain(ada.email);
    expect(await userOf(ada.email)).toMatchObject({ role: 'owner', name: 'Ada', hasPassword: false });
    expect((await dashboard.store.users.findForLogin(ada.email))?.user.tenantId).toBe(dashboard.tenant.tenantId);
  });

  it('follows a change of groups, down to none', async () => {
    const bob = person(['admins']);
    const { browser } = await signIn(bob);
    await signIn({ ...bob, groups: ['audit'] });
    expect(await userOf(bob.email)).toMatchObject({ role: 'auditor' });
    await browser.get('/keys');
    expect((await browser.post('/keys', { name: 'a', scopes: 'certify' })).status).toBe(403);
    const { answer } = await signIn({ ...bob, groups: [] });
    expect(answer.status).toBe(403);
    expect((await browser.get('/')).status).toBe(303);
  });

  it('ends the session of an account removed at the provider', async () => {
    const { browser } = await signIn(person(['staff']));
    expect((await browser.get('/')).status).toBe(200);
    dashboard.pass(HOUR_MS + 1);
    expect((await browser.get('/')).headers['location']).toBe('/sign-in');
    const { answer } = await signIn(null, browser);
    expect([answer.status, (await browser.get('/')).status]).toEqual([403, 303]);
  });

  it('keeps a disabled user out', async () => {
    const cy = person(['staff']);
    await signIn(cy);
    const user = await userOf(cy.email);
    await dashboard.store.users.setEnabled(dashboard.tenant.tenantId, user?.userId ?? '', false, 'test');
    expect((await signIn(cy)).answer.status).toBe(403);
  });

  it('links a verified address once, and only within the tenant', async () => {
    const owner = person(['admins'], { email: OWNER_EMAIL });
    expect((await signIn(owner)).answer.status).toBe(303);
    expect((await signIn(owner)).answer.status).toBe(303);
    const recycled = person(['admins'], { email: OWNER_EMAIL });
    expect((await signIn(recycled)).answer.status).toBe(403);
    const other = await dashboard.store.tenants.create({ name: 'Other' }, 'test');
    await dashboard.addUser('them@example.org', 'owner', other.tenantId);
    expect((await signIn(person(['admins'], { email: 'them@example.org' }))).answer.status).toBe(403);
  });

  it('refuses an address that is not verified, or missing', async () => {
    const dan = person(['admins'], { email_verified: false });
    expect((await signIn(dan)).answer.status).toBe(403);
    expect(await userOf(dan.email)).toBeUndefined();
  });

  it("refuses another browser's callback and a second use", async () => {
    const victim = new TestBrowser(dashboard.app);
    const attacker = new TestBrowser(dashboard.app);
    const stolen = pathOf(await callbackFor(victim, person(['admins'])));
    await attacker.get('/sign-in/oidc');
    expect((await attacker.get(stolen)).status).toBe(403);
    expect((await new TestBrowser(dashboard.app).get(stolen)).status).toBe(403);
    expect((await victim.get(stolen)).status).toBe(303);
    victim.cookies.clear();
    expect((await victim.get(stolen)).status).toBe(403);
  });
});

describe('single sign-on at a provider that forges', () => {
  const other = newKeyPair('rsa');
  let provider: ForgingProvider;
  let dashboard: TestDashboard;

  beforeAll(async () => {
    provider = await startForgingProvider();
    dashboard = await startTestDashboard({ oidc: signInWith(provider.issuer), passwordSignIn: false });
  });

  afterAll(async () => {
    provider.close();
    await dashboard.close();
  });

  const attempt = async (claims: Readonly<Record<string, unknown>>, key = provider.privateKey): Promise<number> => {
    const browser = new TestBrowser(dashboard.app);
    const start = new URL((await browser.get('/sign-in/oidc')).headers['location'] ?? '');
    expect(start.searchParams.get('code_challenge_method')).toBe('S256');
    const iat = Math.floor(Date.now() / 1000);
    const usual = {
      ...{
        iss: provider.issuer,
        aud: CLIENT_ID,
        sub: 'mallory',
        nonce: start.searchParams.get('nonce'),
        iat,
        exp: iat + 60,
      },
      ...{ email: 'mallory@example.org', email_verified: true, groups: ['admins'] },
    };
    provider.idToken = jwt.sign({ ...usual, ...claims }, key, { algorithm: 'RS256', keyid: 'one' });
    const state = start.searchParams.get('state') ?? '';
    return (await browser.get(`/sign-in/oidc/callback?code=x&state=${state}`)).status;
  };

  it('accepts valid input', async () => {
    expect(await attempt({})).toBe(303);
  });

  it.each([
    ['audience', { aud: 'another-client' }],
    ['issuer', { iss: 'https://elsewhere.example' }],
    ['nonce', { nonce: 'a'.repeat(43) }],
    ['time', { exp: 1_000 }],
  ])('refuses an id token with a wrong %s', async (_case, claims) => {
    expect(await attempt({ ...claims, sub: 'forged', email: 'forged@example.org' })).toBe(403);
    expect(await dashboard.store.users.findForLogin('forged@example.org')).toBeNull();
  });

  it('refuses an id token that another key signed', async () => {
    expect(await attempt({}, other.privateKey)).toBe(403);
  });

  it('has no password form, and refuses passwords and links', async () => {
    const browser = new TestBrowser(dashboard.app);
    const { text } = await browser.get('/sign-in');
    expect(text).toContain('Sign in with your organisation');
    expect(text).not.toContain('type="password"');
    const answer = await browser.post('/sign-in', { email: OWNER_EMAIL, password: 'correct horse battery' });
    expect(answer.status).toBe(403);
    expect((await browser.get(`/link/${'A'.repeat(43)}`)).status).toBe(403);
  });

  it('answers 503 while the provider is away', async () => {
    const away = await startTestDashboard({ oidc: signInWith('http://127.0.0.1:1') });
    expect((await new TestBrowser(away.app).get('/sign-in/oidc')).status).toBe(503);
    await away.close();
  });
});
