import { STATUS, type NodeCode } from '../errors/refusals.js';
import { COUNT, list, object, SHAPES, TEXT, TEXT_OR_NULL, TIME } from './answer-shapes.js';
import type {
  Access,
  DescribedRoute,
  JsonSchema,
  Parameter,
  RequestBody,
  RouteDescription,
} from './route-description.js';

export interface MediaType {
  readonly schema?: JsonSchema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** One route in the document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly description?: string;
  readonly parameters?: readonly (Parameter & { readonly in: 'path' | 'query' })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The description of the node. `paths` by path, then by method in lower case. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'securitySchemes', Readonly<Record<string, JsonSchema>>>>;
}

const JSON_BODY = 'application/json';

/** @see docs/spec.md, "Errors" */
const ERROR: JsonSchema = {
  ...object(
    { error: TEXT, requestId: TEXT },
    {
      message: TEXT,
      details: list(TEXT),
      reasonCode: { ...TEXT, description: 'RECORD_NOT_FOUND or LOG_PENDING, with NOT_FOUND.' },
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
  'RateLimit-Limit': whole('Requests a window, or executions a month.'),
  'RateLimit-Remaining': whole('What is left of them.'),
  'RateLimit-Reset': whole('Seconds until the count begins again.'),
};

/**
 * The OpenAPI 3.1 description of routes, from what each says of itself.
 * @param version of the node
 * @param routes what the router needs of a route is not read
 * @see docs/spec.md, "GET /openapi.json"
 */
export function openApiDocument(
  version: string,
  routes: readonly Pick<DescribedRoute, 'method' | 'path' | 'description'>[],
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { method, path: pattern, description } of routes) {
    const path = pattern.replaceAll(/:(\w+)\+?/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(method, path, description) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Execution Certification Service: attestation node',
      version,
      description: 'Seals, signs, stores and verifies Certified Execution Records. Every answer has X-Request-Id.',
    },
    tags: [...new Set(routes.map(({ description: { group } }) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ERROR, ...SHAPES },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the tenant.' },
        adminSecret: { type: 'apiKey', in: 'header', name: 'X-Admin-Secret' },
      },
    },
  };
}

function operation(method: string, path: string, row: RouteDescription): Operation {
  const { access, query = [], body } = row;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    description: name === 'hash' ? 'sha256: and 64 hex digits.' : 'The id of a key.',
    schema: { type: 'string' },
  }));
  const parameters = [...inPath, ...query.map((parameter) => ({ ...parameter, in: 'query' as const }))];
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')}`,
    tags: [row.group],
    summary: row.summary,
    security: securityOf(access),
    ...(typeof access === 'object' && { description: `The key needs the scope ${access.scopes.join(' or ')}.` }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: { ...successes(row), ...refusals(row, parameters.length > 0) },
  };
}

/** Scopes of API keys are not OAuth scopes, so the description names them. */
function securityOf(access: Access): Operation['security'] {
  if (access === 'anybody') return [];
  return [access === 'admin' ? { adminSecret: [] } : { apiKey: [] }];
}

function requestBody({ mediaType = JSON_BODY, schema, optional }: RequestBody): NonNullable<Operation['requestBody']> {
  return { required: optional !== true, content: { [mediaType]: { schema } } };
}

function successes({ success }: RouteDescription): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(success).map(([status, { description, mediaTypes = [JSON_BODY], schema }]) => {
      const contentOf = (type: string): MediaType => (type === JSON_BODY && schema !== undefined ? { schema } : {});
      const content = Object.fromEntries(mediaTypes.map((type) => [type, contentOf(type)]));
      return [status, { description, ...(mediaTypes.length > 0 && { content }) }];
    }),
  );
}

/** Refusals by status; the codes of each in the schema of its body. */
function refusals(row: RouteDescription, asks: boolean): Record<string, Response> {
  const { access, body, errors = [], findings = [], success } = row;
  const codes = new Set<NodeCode>([
    ...(asks || body !== undefined ? (['VALIDATION_ERROR'] as const) : []),
    ...accessCodes(access),
    ...(body === undefined ? [] : (['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...errors,
    'INTERNAL_ERROR',
  ]);
  const statuses = [...new Set([...codes].map((code) => STATUS[code]))];
  return Object.fromEntries(
    statuses
      .filter((status) => !Object.hasOwn(success, status))
      .map((status) => {
        const of: readonly string[] = [...codes].filter((code) => STATUS[code] === status);
        return [status, status === STATUS.VALIDATION_ERROR ? [...of, ...findings] : of] as const;
      })
      .map(([status, of]) => [
        String(status),
        {
          description: of.join(', '),
          ...(status === STATUS.RATE_LIMITED && { headers: LIMIT_HEADERS }),
          content: {
            [JSON_BODY]: {
              schema: { $ref: '#/components/schemas/Error', properties: { error: { enum: of } } },
            },
          },
        },
      ]),
  );
}

function accessCodes(access: Access): readonly NodeCode[] {
  if (access === 'anybody') return [];
  return access === 'admin'
    ? ['UNAUTHORIZED', 'RATE_LIMITED', 'ADMIN_NOT_CONFIGURED', 'SERVICE_UNAVAILABLE']
    : ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'];
}
