import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerFaults, HOSTILE_FIELDS, HOSTILE_HOST } from '@cer/http-service/testing';
import request, { type Response } from 'supertest';
import { issueApiKey } from '../../src/account/api-key.js';
import { dashboardRoutes } from '../../src/app.js';
import { issueLink } from '../../src/links/one-time-link.js';
import { createOidcProvider } from '../../src/oidc/provider.js';
import { issueShare } from '../../src/shares/share.js';
import { formTokenOf } from '../../src/web/forgery.js';
import { TestBrowser } from '../test-browser.js';
import {
  OPERATOR_TOKEN,
  PASSWORD,
  PUBLIC_URL,
  SERVICE_TOKEN,
  startTestDashboard,
  type TestDashboard,
} from '../test-dashboard.js';
import { CALLERS, ROWS, type Caller, type Resources, type Row } from './caller-table.js';

// Every route of the dashboard with every caller. A route without a row fails.

/** In the name of a key, an address and the name of the account; no other account's page contains it. */
const CANARY = 'canary-of-the-account';

interface Asking {
  readonly cookie?: string;
  readonly bearer?: string;
  readonly formToken?: string;
}

let dashboard: TestDashboard;
let resources: Resources;
let asking: Readonly<Record<Caller, Asking>>;

beforeAll(async () => {
  dashboard = await startTestDashboard({
    oidc: {
      provider: createOidcProvider({
        issuer: 'http://127.0.0.1:9',
        clientId: 'dashboard',
        clientSecret: 'a-client-secret-of-the-tests',
        redirectUri: `${PUBLIC_URL}/sign-in/oidc/callback`,
      }),
      tenantName: 'Acme',
      roles: { claim: 'groups', values: { owner: ['admins'], member: [], auditor: [] } },
      sessionMs: 60_000,
    },
  });
  const { store, hasher, tenant, owner } = dashboard;
  const { tenantId } = tenant;
  const newKey = async (name: string): Promise<{ key: string; keyId: string }> => {
    const { key, ...kept } = issueApiKey();
    const { keyId } = await store.apiKeys.create({ tenantId, name, scopes: ['certify'], ...kept }, 'test');
    return { key, keyId };
  };
  const mine = await newKey(CANARY);
  const link = issueLink(PUBLIC_URL, 60_000_000, dashboard.now());
  const member = await dashboard.addUser(`${CANARY}@example.org`, 'member');
  // Disabled by the matrix, so not the member who asks.
  const victim = await dashboard.addUser('victim@example.org', 'member');
  await store.links.issuePasswordLink(tenantId, owner.userId, link, 'test');
  const { url, ...share } = issueShare(PUBLIC_URL, tenantId, { kind: 'set', target: '' }, 7, dashboard.now());
  resources = {
    keyId: mine.keyId,
    otherKeyId: (await newKey('second')).keyId,
    userId: victim.userId,
    linkToken: link.url.split('/link/')[1] ?? '',
    shareId: (await store.shares.create(share, 'test')).shareId,
    shareToken: url.split('/shared/')[1] ?? '',
  };
  const passwordHash = await hasher.hash(PASSWORD);
  const otherOwner = async (name: string): Promise<{ email: string; tenantId: string }> => {
    const other = await store.tenants.create({ name }, 'test');
    const email = `${name}@example.org`;
    await store.users.add({ tenantId: other.tenantId, email, name, role: 'owner', passwordHash }, 'test');
    return { email, tenantId: other.tenantId };
  };
  const other = await otherOwner('other');
  const suspended = await otherOwner('suspended');
  await dashboard.addUser('auditor@example.org', 'auditor');
  const signedIn = async (email?: string): Promise<Asking> => {
    const browser = new TestBrowser(dashboard.app);
    await browser.signIn(email);
    const token = browser.cookies.get('__Host-dashboard_session') ?? '';
    return sessionOf(token);
  };
  const ended = await signedIn(member.email);
  asking = {
    nobody: {},
    'API key': { bearer: mine.key },
    'handoff token': { bearer: await handoffToken() },
    'service token': { bearer: SERVICE_TOKEN },
    'operator token': { bearer: OPERATOR_TOKEN },
    'unknown session': sessionOf('A'.repeat(43)),
    'ended session': ended,
    'owner of another account': await signedIn(other.email),
    'owner of a suspended account': await signedIn(suspended.email),
    auditor: await signedIn('auditor@example.org'),
    member: await signedIn(member.email),
    owner: await signedIn(),
  };
  await request(dashboard.app)
    .post('/sign-out')
    .type('form')
    .set({ Cookie: ended.cookie ?? '', Origin: PUBLIC_URL })
    .send({ form_token: ended.formToken });
  await store.tenants.setStatus(suspended.tenantId, 'suspended', 'test');
});
afterAll(() => dashboard.close());

function sessionOf(token: string): Asking {
  return { cookie: `__Host-dashboard_session=${token}`, formToken: formTokenOf(token) };
}

async function handoffToken(): Promise<string> {
  const browser = new TestBrowser(dashboard.app);
  await browser.signIn();
  await browser.get('/integrations');
  const { headers } = await browser.post('/integrations/connect');
  return String(headers['location']).split('#handoff=')[1] ?? '';
}

function send({ route, path, fields = {}, json }: Row, caller: Caller): Promise<Response> {
  const [method, pattern = ''] = route.split(' ');
  const { cookie, bearer, formToken = '' } = asking[caller];
  const target = path?.(resources) ?? pattern;
  const asked = method === 'GET' ? request(dashboard.app).get(target) : request(dashboard.app).post(target);
  asked.set({
    ...HOSTILE_FIELDS,
    Host: HOSTILE_HOST,
    Origin: PUBLIC_URL,
    ...(cookie !== undefined && { Cookie: cookie }),
  });
  if (bearer !== undefined) asked.set('Authorization', `Bearer ${bearer}`);
  if (method === 'GET') return asked;
  return json === undefined ? asked.type('form').send({ form_token: formToken, ...fields }) : asked.send(json);
}

const named = ROWS.map((row) => [`${row.route}${row.about === undefined ? '' : `: ${row.about}`}`, row] as const);
const STRANGERS: ReadonlySet<Caller> = new Set(CALLERS.slice(0, CALLERS.indexOf('auditor')));
/** Public and the same for every caller. */
const SAVED = 'GET /.well-known/jwks.json';
const PUBLIC_FILE = /^GET \/assets\//;

describe('the matrix of callers and routes', () => {
  it('has a row for every route', () => {
    const routes = dashboardRoutes(dashboard.deps)
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !PUBLIC_FILE.test(route));
    expect([...new Set(ROWS.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted());
  });

  it.each(named)('has the expected statuses: %s', async (_name, row) => {
    const statuses: [Caller, number][] = [];
    for (const caller of CALLERS) {
      const answer = await send(row, caller);
      const { status, text } = answer;
      statuses.push([caller, status]);
      const headers: Readonly<Record<string, unknown>> = answer.headers;
      expect([caller, answerFaults({ headers, text }, row.route === SAVED)]).toEqual([caller, []]);
      // Operators read the activity of every account.
      const isOperator = caller === 'operator token' && row.expected[caller] === 200;
      if (STRANGERS.has(caller) && !isOperator) expect([caller, text.includes(CANARY)]).toEqual([caller, false]);
    }
    expect(Object.fromEntries(statuses)).toEqual(row.expected);
  });
});
