import { openApiDocument as documentOf, type Access as Called, type OpenApiDocument } from '@cer/http-service/openapi';
import { STATUS, type NodeCode } from '../errors/refusals.js';
import { COUNT, list, object, SHAPES, TEXT, TEXT_OR_NULL, TIME } from './answer-shapes.js';
import type { Access, DescribedRoute, JsonSchema } from './route-description.js';

/** @see docs/spec.md, "Errors" */
const ERROR: JsonSchema = {
  ...object(
    { error: TEXT, requestId: TEXT },
    {
      message: TEXT,
      details: list(TEXT),
      reasonCode: { ...TEXT, description: 'RECORD_NOT_FOUND, LOG_PENDING or WEBHOOKS_OFF, with NOT_FOUND.' },
      mismatches: {
        ...list(object({ field: TEXT, expected: TEXT_OR_NULL, computed: TEXT_OR_NULL })),
        description: 'With INVALID_BUNDLE.',
      },
      missingSteps: {
        ...list(object({ index: COUNT, stepId: TEXT, certificateHash: TEXT })),
        description: 'With ATTESTATION_MISSING: the steps of the project to attest first.',
      },
      pendingKid: { ...TEXT, description: 'With KEY_ROTATION_IN_PROGRESS, as is notBefore.' },
      notBefore: TIME,
      line: { ...COUNT, description: 'Of the sketch, with RENDER_ERROR.' },
    },
  ),
  examples: [
    {
      error: 'VALIDATION_ERROR',
      message: 'model: is required;output: is required, or outputHash',
      details: ['model: is required', 'output: is required, or outputHash'],
      requestId: '99999999-0000-4000-8000-000000000000',
    },
  ],
};

const whole = (description: string) => ({ description, schema: { type: 'integer' } });

/** @see docs/spec.md, "Rate limits and quotas" */
const LIMIT_HEADERS = {
  'Retry-After': whole('Seconds to wait.'),
  'RateLimit-Limit': whole('Requests per window, or executions per month.'),
  'RateLimit-Remaining': whole('What is left of them.'),
  'RateLimit-Reset': whole('Seconds until the count begins again.'),
};

const IN_PATH = {
  hash: 'sha256: and 64 hex digits.',
  kid: 'The id of a key.',
  id: 'The id of a webhook, or of a message.',
  delivery: 'The id of a message.',
  tenant: 'The id of a tenant.',
  path: 'The path of a tile.',
};

/**
 * The OpenAPI 3.1 description of routes, from their `description`.
 * @param version of the node
 * @param routes only the description of each is read
 * @see docs/spec.md, "GET /openapi.json"
 */
export function openApiDocument(
  version: string,
  routes: readonly Pick<DescribedRoute, 'method' | 'path' | 'description'>[],
): OpenApiDocument {
  const options = {
    info: {
      title: 'Execution Certification Service: attestation node',
      version,
      description: 'Seals, signs, stores and verifies Certified Execution Records. Every answer has X-Request-Id.',
    },
    statusOf: STATUS,
    accessOf,
    schemas: { Error: ERROR, ...SHAPES },
    codeMember: 'error',
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the tenant.' },
      adminSecret: { type: 'apiKey', in: 'header', name: 'X-Admin-Secret' },
    },
    inPath: IN_PATH,
    limitHeaders: LIMIT_HEADERS,
  };
  return documentOf<Access, NodeCode>(options, routes);
}

/** Scopes of API keys are not OAuth scopes, so the description names them. */
function accessOf(access: Access): Called<NodeCode> {
  if (access === 'public') return { security: [], codes: [] };
  if (access === 'admin') {
    return {
      security: [{ adminSecret: [] }],
      codes: ['UNAUTHORIZED', 'RATE_LIMITED', 'ADMIN_NOT_CONFIGURED', 'SERVICE_UNAVAILABLE'],
    };
  }
  return {
    security: [{ apiKey: [] }],
    description: `The key needs the scope ${access.scopes.join(' or ')}.`,
    codes: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  };
}
