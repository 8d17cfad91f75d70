import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encoded, JWT_ATTACKS, JWT_SPELLINGS, signedToken, type AttackedToken } from '@cer/http-service/testing';
import { createOidcProvider } from '../../src/oidc/provider.js';
import { startForgingProvider, type ForgingProvider } from '../forging-provider.js';
import { TestBrowser } from '../test-browser.js';
import { PUBLIC_URL, startTestDashboard, type TestDashboard } from '../test-dashboard.js';

// The list of attacks on tokens against the id token of single sign-on, from a provider that lets it through.

const CLIENT_ID = 'dashboard';
const RIGHT = { sub: 'ada', email: 'ada@example.org' };

let provider: ForgingProvider;
let dashboard: TestDashboard;

beforeAll(async () => {
  provider = await startForgingProvider();
  const redirectUri = `${PUBLIC_URL}/sign-in/oidc/callback`;
  const client = { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: 'a-client-secret-of-the-tests' };
  dashboard = await startTestDashboard({
    oidc: {
      provider: createOidcProvider({ ...client, redirectUri }),
      tenantName: 'Acme',
      roles: { claim: 'groups', values: { owner: ['admins'], member: [], reviewer: [], auditor: [] } },
      sessionMs: 60_000,
    },
  });
});
afterAll(async () => {
  provider.close();
  await dashboard.close();
});

/** Signs in with the token that `make` makes of one that the dashboard accepts. @returns status and cookie */
async function signIn(make: (token: AttackedToken) => string): Promise<[status: number, isSignedIn: boolean]> {
  const browser = new TestBrowser(dashboard.app);
  const start = new URL((await browser.get('/sign-in/oidc')).headers['location'] ?? '');
  const iat = Math.floor(Date.now() / 1000);
  const { issuer, privateKey: key, publicKey } = provider;
  provider.idToken = make({
    header: { alg: 'RS256', typ: 'JWT', kid: 'one' },
    claims: {
      ...{ iss: issuer, aud: CLIENT_ID, nonce: start.searchParams.get('nonce'), iat, exp: iat + 60 },
      ...{ ...RIGHT, email_verified: true, groups: ['admins'] },
    },
    ...{ key, publicKey, lure: `${issuer}/lure` },
  });
  const { status } = await browser.get(`/sign-in/oidc/callback?code=x&state=${start.searchParams.get('state') ?? ''}`);
  return [status, (await browser.get('/')).status === 200];
}

describe('single sign-on', () => {
  it('accepts the token that is attacked', async () => {
    const right = await signIn(({ header, claims, key }) => signedToken(encoded(header), encoded(claims), key));
    expect(right).toEqual([303, true]);
  });

  it.each(JWT_ATTACKS)('refuses an id token with %s', async (_name, attack) => {
    expect(await signIn(attack)).toEqual([403, false]);
  });

  it.each(JWT_SPELLINGS)('refuses an id token with %s, or reads the same', async (_name, respell) => {
    const [status, isSignedIn] = await signIn(respell);
    expect([status, isSignedIn]).toEqual(isSignedIn ? [303, true] : [403, false]);
  });

  it('requests no address of a token and makes one account', async () => {
    expect(provider.strayRequests).toEqual([]);
    const users = await dashboard.store.users.list(dashboard.tenant.tenantId, null, 50);
    expect(users.filter(({ email }) => !email.startsWith('owner'))).toMatchObject([{ email: RIGHT.email }]);
  });
});
