import { everyCaller, type CallerRow, type Statuses } from '@cer/http-service/testing';

/** The callers of the matrix, in the order in which they ask: those that may change something are last. */
export const CALLERS = [
  'anonymous',
  'API key',
  'handoff token',
  'service token',
  'operator token',
  'unknown session',
  'ended session',
  'owner of another account',
  'owner of a suspended account',
  'auditor',
  'reviewer',
  'member',
  'owner',
] as const;
export type Caller = (typeof CALLERS)[number];
type Expected = Statuses<Caller>;

/** Resources of the account. */
export interface Resources {
  readonly keyId: string;
  readonly otherKeyId: string;
  readonly userId: string;
  readonly linkToken: string;
  readonly shareId: string;
  readonly shareToken: string;
}

export interface Row extends CallerRow<Caller> {
  readonly path?: (of: Resources) => string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly json?: object;
}

const EVERY = everyCaller(CALLERS);

const SESSIONS = [
  ...(['owner of another account', 'owner of a suspended account', 'auditor', 'reviewer', 'member', 'owner'] as const),
];
const withSession = (base: Expected, status: number): Expected => ({
  ...base,
  ...Object.fromEntries(SESSIONS.map((caller) => [caller, status])),
});

/** A page of an account: other requests are redirected to sign in. */
const PAGE = (status = 200): Expected => withSession(EVERY(303), status);
/** A page about a resource of the account. */
const OWN_PAGE: Expected = { ...PAGE(), 'owner of another account': 404, 'owner of a suspended account': 404 };
/** A form that only an owner may send; requests without a session are redirected to sign in. */
const ACT = (owner: number, other = owner): Expected => ({
  ...withSession(EVERY(303), 403),
  'owner of another account': other,
  owner,
});
/** A form about the reader's own sign-in, of every role. */
const OWN_ACT = (status: number): Expected => ({
  ...ACT(status),
  auditor: status,
  reviewer: status,
  member: status,
});
const TOKEN = (caller: Caller): Expected => ({ ...EVERY(401), [caller]: 200 });

const ofKey =
  (act: string) =>
  ({ keyId }: Resources): string =>
    `/keys/${keyId}/${act}`;
const ofUser =
  (act: string) =>
  ({ userId }: Resources): string =>
    `/users/${userId}/${act}`;
const HASH = `sha256:${'0'.repeat(64)}`;

const PAGES: readonly Row[] = [
  ...[
    '/',
    '/shares',
    '/keys',
    '/users',
    '/usage',
    '/settings',
    '/activity',
    '/activity/export',
    '/integrations',
    '/security',
  ].map((path): Row => ({ route: `GET ${path}`, expected: PAGE() })),
  // This dashboard's node does not answer; whose records are shown is tested with a node.
  ...[
    '/alerts',
    '/alerts/:webhookId',
    '/coverage',
    '/records',
    '/records/export',
    '/records/exports',
    '/records/certificate/:hash',
    '/records/download/:hash',
  ].map((path): Row => ({
    route: `GET ${path}`,
    expected: PAGE(503),
    path: () => path.replace(':hash', HASH).replace(':webhookId', 'wh_1'),
  })),
  // Unknown here: an export is known to the process that sends it, and to its account.
  { route: 'GET /records/exports/:id', expected: PAGE(), path: () => '/records/exports/unknown' },
  { route: 'GET /shares/new', expected: PAGE() },
  {
    route: 'GET /reviews/new',
    expected: { ...PAGE(503), 'owner of a suspended account': 403, auditor: 403 },
    path: () => `/reviews/new?certificate=${HASH}`,
  },
  { route: 'GET /keys/:keyId/rotate', expected: OWN_PAGE, path: ofKey('rotate') },
  { route: 'GET /keys/:keyId/revoke', expected: OWN_PAGE, path: ofKey('revoke') },
];

const ACTS: readonly Row[] = [
  // A form that was filled in is shown again while the node does not answer.
  {
    route: 'POST /reviews',
    expected: { ...ACT(503), reviewer: 503, member: 503 },
    fields: {
      ...{ subject: 'certificate', reviewed: HASH, seen: HASH, decision: 'approved', comment: '' },
      execution_id: 'review:00000000-0000-0000-0000-000000000000',
    },
  },
  { route: 'POST /alerts', expected: ACT(503), fields: { url: 'https://hooks.example.com/', types: 'quota.reached' } },
  ...['rotate', 'remove', 'test', 'messages/:deliveryId/send'].map((act): Row => ({
    route: `POST /alerts/:webhookId/${act}`,
    expected: ACT(503),
    path: () => `/alerts/wh_1/${act.replace(':deliveryId', 'msg_1')}`,
    fields: { grace_hours: '0' },
  })),
  { route: 'POST /shares', expected: ACT(200), fields: { kind: 'set', target: '', days: '7' } },
  {
    route: 'POST /shares/:shareId/revoke',
    expected: ACT(303, 404),
    path: ({ shareId }) => `/shares/${shareId}/revoke`,
  },
  { route: 'POST /keys', expected: ACT(200), fields: { name: 'made', scopes: 'certify' } },
  { route: 'POST /keys/:keyId/rotate', expected: ACT(200, 404), path: ofKey('rotate'), fields: { grace_hours: '0' } },
  {
    route: 'POST /keys/:keyId/revoke',
    expected: ACT(303, 404),
    path: ({ otherKeyId }) => `/keys/${otherKeyId}/revoke`,
  },
  // An address belongs to one person, of any account.
  {
    route: 'POST /users',
    expected: ACT(422),
    fields: { name: 'New', email: 'owner@example.org', role: 'member' },
  },
  { route: 'POST /users/:userId/link', expected: ACT(200, 404), path: ofUser('link') },
  { route: 'POST /users/:userId/disable', expected: ACT(303, 404), path: ofUser('disable') },
  { route: 'POST /users/:userId/enable', expected: ACT(303, 404), path: ofUser('enable') },
  { route: 'POST /users/:userId/reset-sign-in', expected: ACT(303, 404), path: ofUser('reset-sign-in') },
  ...['/security/authenticator', '/security/authenticator/confirm', '/security/authenticator/remove'].map(
    (path): Row => {
      const status = path.endsWith('authenticator') ? 200 : 403;
      return { route: `POST ${path}`, expected: OWN_ACT(status) };
    },
  ),
  { route: 'POST /security/passkeys', expected: OWN_ACT(422) },
  { route: 'POST /security/passkeys/:credentialId/remove', expected: OWN_ACT(404) },
  { route: 'POST /security/recovery-codes', about: 'without an authenticator', expected: ACT(403) },
  { route: 'POST /settings', expected: ACT(422), fields: { metadata: 'everything' } },
  { route: 'POST /integrations/connect', expected: { ...ACT(303), member: 303 } },
];

const OPEN: readonly Row[] = [
  { route: 'GET /sign-in', expected: withSession(EVERY(200), 303) },
  { route: 'POST /sign-in', about: 'with the form token of a session', expected: EVERY(403) },
  { route: 'POST /sign-in/passkey', about: 'with the form token of a session', expected: EVERY(403) },
  { route: 'GET /sign-in/code', expected: EVERY(303) },
  { route: 'POST /sign-in/code', about: 'with the form token of a session', expected: EVERY(403) },
  { route: 'GET /sign-in/oidc', about: 'a provider that does not answer', expected: EVERY(503) },
  { route: 'GET /sign-in/oidc/callback', about: 'of a sign-in that this browser did not begin', expected: EVERY(403) },
  { route: 'GET /link/:token', expected: EVERY(200), path: ({ linkToken }) => `/link/${linkToken}` },
  { route: 'GET /link/:token', about: 'unknown', expected: EVERY(404), path: () => `/link/${'A'.repeat(43)}` },
  // This dashboard's node does not answer; what a link shows is tested with a node.
  ...['/shared/:token', '/shared/:token/certificate/:hash', '/shared/:token/download/:hash'].flatMap((path): Row[] => [
    {
      route: `GET ${path}`,
      expected: EVERY(503),
      path: ({ shareToken }) => path.replace(':token', shareToken).replace(':hash', HASH),
    },
    {
      route: `GET ${path}`,
      about: 'unknown',
      expected: EVERY(404),
      path: () => path.replace(':token', 'A'.repeat(43)).replace(':hash', HASH),
    },
  ]),
  {
    route: 'POST /link/:token',
    about: 'with the form token of a session',
    expected: EVERY(403),
    path: ({ linkToken }) => `/link/${linkToken}`,
    fields: { password: 'a password of an attacker' },
  },
  ...['/.well-known/jwks.json', '/health', '/openapi.json', '/ready', '/metrics'].map((path): Row => ({
    route: `GET ${path}`,
    expected: EVERY(200),
  })),
];

const SERVICES: readonly Row[] = [
  {
    route: 'POST /internal/v1/keys/introspect',
    expected: TOKEN('service token'),
    json: { keyHash: '0'.repeat(64) },
  },
  {
    route: 'POST /internal/v1/sessions/introspect',
    expected: TOKEN('service token'),
    json: { tenantId: 'none', sub: 'none' },
  },
  {
    route: 'POST /internal/v1/usage',
    expected: TOKEN('service token'),
    json: { reportId: 'report-of-the-matrix', items: [{ tenantId: 'none', kind: 'certify', count: 1 }] },
  },
  { route: 'GET /v1/operator/activity', expected: TOKEN('operator token') },
];

/** One row per route of the dashboard and kind of resource; the route that ends sessions is last. */
export const ROWS: readonly Row[] = [
  ...PAGES,
  ...OPEN,
  ...SERVICES,
  ...ACTS,
  {
    route: 'POST /sign-out',
    about: 'without the form token of the session',
    expected: {
      ...withSession(EVERY(303), 403),
      'unknown session': 403,
      'ended session': 403,
    },
    fields: { form_token: 'x' },
  },
  { route: 'POST /sign-out', expected: EVERY(303) },
];
