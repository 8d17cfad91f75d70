import { HOSTILE_FIELDS, HOSTILE_HOST, hostileForm, hostileJson } from '@cer/http-service/testing';
import request, { type Response } from 'supertest';
import { issueApiKey } from '../../src/account/api-key.js';
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
  type TestDashboardOptions,
} from '../test-dashboard.js';
import type { Caller, Resources, Row } from './caller-table.js';

/** In the name of a key, an address and the name of the account; no other account's page contains it. */
export const CANARY = 'canary-of-the-account';

interface Asking {
  readonly cookie?: string;
  readonly bearer?: string;
  readonly formToken?: string;
}

/** A dashboard with an account, its resources, and every caller of the matrix. */
export interface WholeDashboard {
  readonly dashboard: TestDashboard;
  readonly send: (row: Row, caller: Caller, encoding?: Encoding) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export async function startWholeDashboard(options: TestDashboardOptions = {}): Promise<WholeDashboard> {
  const dashboard = await startTestDashboard({
    ...options,
    oidc: {
      provider: createOidcProvider({
        issuer: 'http://127.0.0.1:9',
        clientId: 'dashboard',
        clientSecret: 'a-client-secret-of-the-tests',
        redirectUri: `${PUBLIC_URL}/sign-in/oidc/callback`,
      }),
      tenantName: 'Acme',
      roles: { claim: 'groups', values: { owner: ['admins'], member: [], reviewer: [], auditor: [] } },
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
  const resources: Resources = {
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
  await dashboard.addUser('reviewer@example.org', 'reviewer');
  const signedIn = async (email?: string): Promise<Asking> => {
    const browser = new TestBrowser(dashboard.app);
    await browser.signIn(email);
    const token = browser.cookies.get('__Host-dashboard_session') ?? '';
    return sessionOf(token);
  };
  const ended = await signedIn(member.email);
  const asking: Readonly<Record<Caller, Asking>> = {
    anonymous: {},
    'API key': { bearer: mine.key },
    'handoff token': { bearer: await handoffToken(dashboard) },
    'service token': { bearer: SERVICE_TOKEN },
    'operator token': { bearer: OPERATOR_TOKEN },
    'unknown session': sessionOf('A'.repeat(43)),
    'ended session': ended,
    'owner of another account': await signedIn(other.email),
    'owner of a suspended account': await signedIn(suspended.email),
    auditor: await signedIn('auditor@example.org'),
    reviewer: await signedIn('reviewer@example.org'),
    member: await signedIn(member.email),
    owner: await signedIn(),
  };
  await request(dashboard.app)
    .post('/sign-out')
    .type('form')
    .set({ Cookie: ended.cookie ?? '', Origin: PUBLIC_URL })
    .send({ form_token: ended.formToken });
  await store.tenants.setStatus(suspended.tenantId, 'suspended', 'test');
  return {
    dashboard,
    send: (row, caller, encoding = PLAIN) => send({ dashboard, resources, as: asking[caller] }, row, encoding),
    close: dashboard.close,
  };
}

function sessionOf(token: string): Asking {
  return { cookie: `__Host-dashboard_session=${token}`, formToken: formTokenOf(token) };
}

async function handoffToken(dashboard: TestDashboard): Promise<string> {
  const browser = new TestBrowser(dashboard.app);
  await browser.signIn();
  await browser.get('/integrations');
  const { headers } = await browser.post('/integrations/connect');
  return String(headers['location']).split('#handoff=')[1] ?? '';
}

/** The bodies of a request. */
interface Encoding {
  readonly ofForm: (fields: Readonly<Record<string, string>>) => string;
  readonly ofJson: (value: object) => string;
}
const PLAIN: Encoding = {
  ofForm: (fields) => new URLSearchParams(fields).toString(),
  ofJson: (value) => JSON.stringify(value),
};
export const HOSTILE: Encoding = { ofForm: hostileForm, ofJson: hostileJson };

interface Sender {
  readonly dashboard: TestDashboard;
  readonly resources: Resources;
  readonly as: Asking;
}

function send({ dashboard, resources, as }: Sender, row: Row, encoding: Encoding): Promise<Response> {
  const { route, path, fields = {}, json } = row;
  const [method, pattern = ''] = route.split(' ');
  const { cookie, bearer, formToken = '' } = as;
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
  if (json !== undefined) return asked.type('json').send(encoding.ofJson(json));
  return asked.type('form').send(encoding.ofForm({ form_token: formToken, ...fields }));
}
