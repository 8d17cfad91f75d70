import { object, TEXT, type Access as Called, type DocumentOptions } from '@cer/http-service/openapi';
import { packageVersion } from '@cer/http-service/process';
import { STATUS, type BridgeCode } from '../errors.js';
import type { Access } from './route-description.js';

const CALLED: Readonly<Record<Access, Called<BridgeCode>>> = {
  public: { security: [], codes: [] },
  key: {
    security: [{ apiKey: [] }],
    description: 'The key needs the scopes certify and ingest.',
    codes: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  },
  session: { security: [{ session: [] }], codes: ['SERVICE_UNAVAILABLE'] },
  'own page': {
    security: [],
    description: 'Only pages of this bridge may send it: Origin is checked.',
    codes: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  },
};

const PACKAGE = new URL('../../package.json', import.meta.url);

/** A sentence of the bridge or, for a single request that the node refuses, the node's answer. */
const ERROR = object({ error: TEXT }, { message: TEXT, details: { type: 'array', items: TEXT }, requestId: TEXT });

/**
 * Settings of the OpenAPI document that apply to all routes.
 * @param sessionCookie name of the cookie of a session
 * @see docs/spec.md, "Evidence bridge: machine path"
 */
export function documentOptions(sessionCookie: string): DocumentOptions<Access, BridgeCode> {
  return {
    info: {
      title: 'Execution Certification Service: evidence bridge',
      version: packageVersion(PACKAGE),
      description: 'Turns batches and OpenTelemetry traces into certificates. Every answer has X-Request-Id.',
    },
    statusOf: STATUS,
    accessOf: (access) => CALLED[access],
    schemas: { Error: ERROR },
    codeMember: null,
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the account.' },
      session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
    },
    inPath: {},
    limitHeaders: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  };
}
