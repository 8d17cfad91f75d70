import { randomUUID } from 'node:crypto';

import { sha256 } from '@cer/cer-core';
import { reviewRequest } from '@cer/cer-core/review';
import { executionRequest } from '@cer/cer-core/testing';
import { everyCaller, type CallerRow, type Statuses } from '@cer/http-service/testing';
import type { JsonObject } from '@cer/canonical-json';

import { sealedElsewhere } from '../sealed-elsewhere.js';

/** The callers of the matrix, in the order in which they ask: those that may change something are last. */
export const CALLERS = [
  'anonymous',
  'malformed key',
  'unknown key',
  'revoked key',
  'service token',
  'handoff token',
  'session cookie',
  'wrong admin secret',
  'key of another tenant',
  'audit key',
  'review key',
  'owner',
  'admin',
] as const;
export type Caller = (typeof CALLERS)[number];
type Expected = Statuses<Caller>;

/** Resources of the owner that the requests name. */
export interface Resources {
  readonly publicHash: string;
  readonly publicId: string;
  readonly hiddenHash: string;
  /** Label of the hidden record; no answer to another caller contains it. */
  readonly hiddenId: string;
  readonly certificate: JsonObject;
  readonly project: JsonObject;
  readonly projectHash: string;
  readonly tenantId: string;
  readonly kid: string;
  readonly deliveryId: string;
  readonly webhookId: string;
  /** A message to this webhook. */
  readonly messageId: string;
  readonly keyHistory: unknown;
}

export interface Row extends CallerRow<Caller> {
  readonly path?: (of: Resources) => string;
  readonly body?: (of: Resources) => unknown;
  readonly mediaType?: string;
}

const EVERY = everyCaller(CALLERS);

const UNKEYED = EVERY(401);
/** A route for keys with one scope, which an audit key lacks. */
const SCOPED: Expected = { ...UNKEYED, 'key of another tenant': 200, 'audit key': 403, 'review key': 403, owner: 200 };
/** A route for the tenant's own records, for any key. */
const OWN: Expected = { ...UNKEYED, 'key of another tenant': 200, 'audit key': 200, 'review key': 403, owner: 200 };
const ADMIN: Expected = { ...UNKEYED, admin: 200 };
/** A route without a key where a key that is sent must be valid. */
const OPTIONAL = (status: number): Expected => ({
  ...EVERY(status),
  'malformed key': 401,
  'unknown key': 401,
  'revoked key': 401,
  'service token': 401,
  'handoff token': 401,
});

const execution = (): unknown => executionRequest({ executionId: randomUUID() });
const review = (): unknown =>
  reviewRequest({
    ...{ subject: 'certificate', reviewed: sha256('reviewed'), decision: 'approved', executionId: randomUUID() },
    ...{ reviewer: 'Ada Example', comment: '', seen: null, appId: null, at: null },
  });
const foreign = (): JsonObject => sealedElsewhere({ snapshot: {} });
const code = 'function setup() {}';
const NDJSON = 'application/x-ndjson';
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

const PUBLIC = '/v1/cer/public';
const byHash = (path: string, hash: string): string => `${path}?certificate_hash=${encodeURIComponent(hash)}`;

const KEYED_ROWS: readonly Row[] = [
  { route: 'POST /v1/cer/ai/certify', expected: SCOPED, body: execution },
  {
    route: 'POST /v1/cer/ai/certify',
    about: "an owner's executionId",
    expected: { ...SCOPED, owner: 409 },
    body: ({ publicId }) => executionRequest({ executionId: publicId, model: 'another' }),
  },
  {
    route: 'POST /v1/cer/ai/certify',
    about: 'a human review',
    expected: { ...SCOPED, 'review key': 200 },
    body: review,
  },
  {
    route: 'POST /v1/cer/ai/certify-batch',
    expected: SCOPED,
    body: () => line(execution()),
    mediaType: NDJSON,
  },
  { route: 'POST /v1/cer/ai/create', expected: SCOPED, body: execution },
  { route: 'POST /api/attest', expected: SCOPED, body: foreign },
  { route: 'POST /api/attest-batch', expected: SCOPED, body: () => line(foreign()), mediaType: NDJSON },
  {
    route: 'POST /v1/project-bundle/register',
    // The steps are not records of the other tenant.
    expected: { ...SCOPED, 'key of another tenant': 400 },
    body: ({ project }) => project,
  },
  { route: 'POST /api/render', expected: SCOPED, body: () => ({ code, seed: 's', VAR: [] }) },
  { route: 'POST /verify', expected: SCOPED, body: () => ({ snapshot: { code, seed: 's', vars: [] } }) },
  { route: 'POST /render', expected: EVERY(410), body: () => ({ code, seed: 's', VAR: [] }) },
];

const ofWebhook = ({ webhookId }: Resources, act: string): string => `/v1/webhooks/${webhookId}/${act}`;

const OWN_ROWS: readonly Row[] = [
  { route: 'GET /v1/records', expected: OWN },
  { route: 'GET /v1/records/count', expected: OWN },
  {
    route: 'GET /v1/records/certificate',
    about: 'a hidden record',
    expected: { ...OWN, 'key of another tenant': 404 },
    path: ({ hiddenHash }) => byHash('/v1/records/certificate', hiddenHash),
  },
  {
    route: 'GET /v1/records/certificate',
    about: 'a public record',
    expected: { ...OWN, 'key of another tenant': 404 },
    path: ({ publicHash }) => byHash('/v1/records/certificate', publicHash),
  },
  { route: 'GET /v1/records/export', expected: OWN },
  { route: 'GET /v1/coverage', expected: OWN },
  { route: 'GET /v1/settings', expected: OWN },
  { route: 'GET /v1/log/completeness', expected: OWN },
  { route: 'GET /v1/webhooks', expected: OWN },
  {
    route: 'GET /v1/webhooks/:id/deliveries',
    expected: { ...OWN, 'key of another tenant': 404 },
    path: (of) => ofWebhook(of, 'deliveries'),
  },
  { route: 'POST /v1/webhooks', expected: SCOPED, body: () => ({ url: 'https://hooks.example.com/' }) },
  ...['test', 'rotate'].map((act): Row => ({
    route: `POST /v1/webhooks/:id/${act}`,
    expected: { ...SCOPED, 'key of another tenant': 404 },
    path: (of) => ofWebhook(of, act),
    body: () => ({}),
  })),
  {
    route: 'POST /v1/webhooks/:id/deliveries/:delivery/send',
    expected: { ...SCOPED, 'key of another tenant': 404 },
    path: (of) => ofWebhook(of, `deliveries/${of.messageId}/send`),
    body: () => ({}),
  },
  {
    route: 'POST /v1/webhooks/:id/remove',
    expected: { ...SCOPED, 'key of another tenant': 404 },
    path: (of) => ofWebhook(of, 'remove'),
    body: () => ({}),
  },
];

const PUBLIC_ROWS: readonly Row[] = [
  { route: 'GET /v1/cer/public', expected: EVERY(200), path: ({ publicHash }) => byHash(PUBLIC, publicHash) },
  {
    route: 'GET /v1/cer/public',
    about: 'a hidden record',
    expected: EVERY(404),
    path: ({ hiddenHash }) => byHash(PUBLIC, hiddenHash),
  },
  {
    route: 'GET /v1/cer/public',
    about: 'the executionId of a hidden record',
    expected: OPTIONAL(404),
    path: ({ hiddenId }) => `${PUBLIC}?execution_id=${hiddenId}`,
  },
  {
    route: 'GET /api/public-cer-proof',
    expected: EVERY(200),
    path: ({ publicHash }) => byHash('/api/public-cer-proof', publicHash),
  },
  {
    route: 'GET /api/public-cer-proof',
    about: 'a hidden record',
    expected: EVERY(404),
    path: ({ hiddenHash }) => byHash('/api/public-cer-proof', hiddenHash),
  },
  {
    route: 'GET /v1/resolve/cer/:hash',
    about: 'a hidden record, which the answer must not distinguish',
    expected: EVERY(302),
    path: ({ hiddenHash }) => `/v1/resolve/cer/${hiddenHash}`,
  },
  {
    route: 'GET /v1/project-bundle/public',
    expected: EVERY(200),
    path: ({ projectHash }) => `/v1/project-bundle/public?project_hash=${projectHash}`,
  },
  {
    route: 'GET /v1/log/proof',
    expected: OPTIONAL(200),
    path: ({ publicHash }) => byHash('/v1/log/proof', publicHash),
  },
  {
    route: 'GET /v1/log/proof',
    about: 'a hidden record',
    expected: { ...OPTIONAL(404), 'audit key': 200, 'review key': 200, owner: 200 },
    path: ({ hiddenHash }) => byHash('/v1/log/proof', hiddenHash),
  },
  {
    route: 'POST /v1/cer/verify',
    expected: EVERY(200),
    body: ({ certificate }) => ({ bundle: certificate }),
  },
  { route: 'POST /v1/project-bundle/verify', expected: EVERY(200), body: ({ project }) => ({ bundle: project }) },
  ...['/log', '/log/epochs'].flatMap((prefix): Row[] => [
    { route: `GET ${prefix}/checkpoint`, expected: EVERY(200) },
    { route: `GET ${prefix}/tile/:path+`, expected: EVERY(200), path: () => `${prefix}/tile/0/000.p/1` },
  ]),
  ...[
    ...['/', '/version', '/health', '/ready', '/metrics', '/openapi.json', '/docs'],
    ...['svc-node', 'svc-key-history', 'svc-log'].map((name) => `/.well-known/${name}.json`),
  ].map((path): Row => ({ route: `GET ${path}`, expected: EVERY(200) })),
];

const ofRecord = (act: string, { hiddenHash }: Resources): string => `/v1/admin/records/${hiddenHash}/${act}`;
const ofProject = (act: string, { projectHash }: Resources): string => `/v1/admin/projects/${projectHash}/${act}`;
/** In an order in which each changes something: the record is hidden, the project is not. */
const RECORD_ACTS = ['unhide', 'hide', 'hold', 'release', 'delete'];
const PROJECT_ACTS = ['hide', 'unhide', 'hold', 'release', 'delete'];

const ADMIN_ROWS: readonly Row[] = [
  { route: 'GET /v1/admin/audit', expected: ADMIN },
  { route: 'GET /v1/admin/alerts/deliveries', expected: ADMIN },
  {
    route: 'POST /v1/admin/alerts/deliveries/:id/send',
    expected: ADMIN,
    path: ({ deliveryId }) => `/v1/admin/alerts/deliveries/${deliveryId}/send`,
    body: () => ({}),
  },
  ...['GET', 'POST'].map((method): Row => ({
    route: `${method} /v1/admin/tenants/:tenant/settings`,
    expected: ADMIN,
    path: ({ tenantId }) => `/v1/admin/tenants/${tenantId}/settings`,
    ...(method === 'POST' && { body: () => ({ retentionDays: 30 }) }),
  })),
  {
    route: 'POST /v1/admin/recertify-batch',
    expected: ADMIN,
    body: ({ publicHash }) => ({ certificateHashes: [publicHash], dryRun: true }),
  },
  ...RECORD_ACTS.map((act): Row => ({
    route: `POST /v1/admin/records/:hash/${act}`,
    expected: ADMIN,
    path: (of) => ofRecord(act, of),
  })),
  ...PROJECT_ACTS.map((act): Row => ({
    route: `POST /v1/admin/projects/:hash/${act}`,
    expected: ADMIN,
    path: (of) => ofProject(act, of),
  })),
  { route: 'POST /v1/admin/key-history', expected: ADMIN, body: ({ keyHistory }) => keyHistory },
  { route: 'POST /v1/admin/keys/rotate', expected: ADMIN, body: () => ({ immediate: true }) },
  {
    route: 'POST /v1/admin/keys/:kid/revoke',
    expected: ADMIN,
    path: ({ kid }) => `/v1/admin/keys/${kid}/revoke`,
    body: () => ({ reason: 'superseded' }),
  },
];

/** One row per route of the node and kind of resource; the routes that delete are last. */
export const ROWS: readonly Row[] = [...KEYED_ROWS, ...OWN_ROWS, ...PUBLIC_ROWS, ...ADMIN_ROWS];
