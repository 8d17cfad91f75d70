import { object, TEXT, type Access as Called, type DocumentOptions } from '@cer/http-service/openapi';
import { packageVersion } from '@cer/http-service/process';
import { STATUS, type DashboardCode } from '../errors.js';
import type { Access } from './route-description.js';

const CALLED: Readonly<Record<Access, Called<DashboardCode>>> = {
  public: { security: [], codes: ['SERVICE_UNAVAILABLE'] },
  service: { security: [{ serviceToken: [] }], codes: ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'] },
  operator: { security: [{ operatorToken: [] }], codes: ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'] },
  session: { security: [{ session: [] }], codes: ['SERVICE_UNAVAILABLE'] },
  form: {
    security: [],
    description: 'A form of this dashboard: its origin, a cookie and form_token, which the page has, are checked.',
    codes: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  },
};

const IN_PATH = {
  hash: 'sha256: and 64 hex digits.',
  id: 'The id of an export.',
  token: 'The secret of a link.',
  keyId: 'The id of a key.',
  userId: 'The id of a user.',
  shareId: 'The id of a shared link.',
  webhookId: 'The id of a webhook.',
  deliveryId: 'The id of a message.',
  credentialId: 'The id of a passkey.',
};

const PACKAGE = new URL('../../package.json', import.meta.url);

const ERROR = object({ error: TEXT, requestId: TEXT }, { message: TEXT, details: { type: 'array', items: TEXT } });

/**
 * Settings of the OpenAPI document that apply to all routes.
 * @param sessionCookie name of the cookie of a session
 * @see docs/spec.md, "GET /openapi.json"
 */
export function documentOptions(sessionCookie: string): DocumentOptions<Access, DashboardCode> {
  return {
    info: {
      title: 'Execution Certification Service: dashboard',
      version: packageVersion(PACKAGE),
      description:
        'Accounts, keys and plans: pages for people, and routes for services. Every answer has X-Request-Id.',
    },
    statusOf: STATUS,
    accessOf: (access) => CALLED[access],
    schemas: { Error: ERROR },
    codeMember: 'error',
    securitySchemes: {
      serviceToken: { type: 'http', scheme: 'bearer', description: 'The credential of node and bridge.' },
      operatorToken: { type: 'http', scheme: 'bearer', description: 'The credential of log collectors.' },
      session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
    },
    inPath: IN_PATH,
    limitHeaders: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  };
}
