import type { Access, Described, JsonSchema, Parameter, RequestBody, RouteDescription } from './route-description.js';

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

/** The description of a service. `paths` by path, then by method in lower case. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'securitySchemes', Readonly<Record<string, JsonSchema>>>>;
}

const JSON_BODY = 'application/json';

type Row<Who, Code extends string> = RouteDescription<Who, Code, string>;

/** The settings that a service states once for all of its routes. */
export interface DocumentOptions<Who, Code extends string> {
  readonly info: OpenApiDocument['info'];
  /** The status of each code; those that every route may have are among them. */
  readonly statusOf: Readonly<Record<Code | DerivedCode, number>>;
  readonly accessOf: (access: Who) => Access<Code | DerivedCode>;
  /** Shared schemas; `Error` is that of every refusal. */
  readonly schemas: Readonly<Record<string, JsonSchema>> & { readonly Error: JsonSchema };
  /** The member of a refusal that has its code; null: refusals have none. */
  readonly codeMember: string | null;
  readonly securitySchemes: OpenApiDocument['components']['securitySchemes'];
  /** Description of each parameter in a path. */
  readonly inPath: Readonly<Record<string, string>>;
  /** Header fields of a refusal with 429. */
  readonly limitHeaders: NonNullable<Response['headers']>;
}

/** Refusals of the router, which routes do not list. */
type DerivedCode =
  | 'VALIDATION_ERROR'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR';

/**
 * The OpenAPI 3.1 description of routes, from their `description`.
 * @param routes only the description of each is read
 */
export function openApiDocument<Who, Code extends string>(
  options: DocumentOptions<Who, Code>,
  routes: readonly Pick<Described<Row<Who, Code>>, 'method' | 'path' | 'description'>[],
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { method, path: pattern, description } of routes) {
    const path = pattern.replaceAll(/:(\w+)\+?/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(options, method, path, description) };
  }
  return {
    openapi: '3.1.0',
    info: options.info,
    tags: [...new Set(routes.map(({ description: { group } }) => group))].map((name) => ({ name })),
    paths,
    components: { schemas: options.schemas, securitySchemes: options.securitySchemes },
  };
}

function operation<Who, Code extends string>(
  options: DocumentOptions<Who, Code>,
  method: string,
  path: string,
  row: Row<Who, Code>,
): Operation {
  const { query = [], body } = row;
  const access = options.accessOf(row.access);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    description: described(options.inPath, name),
    schema: { type: 'string' },
  }));
  const parameters = [...inPath, ...query.map((parameter) => ({ ...parameter, in: 'query' as const }))];
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')}`,
    tags: [row.group],
    summary: row.summary,
    security: access.security,
    ...(access.description !== undefined && { description: access.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: { ...successes(row), ...refusals(options, row, parameters.length > 0) },
  };
}

function described(inPath: Readonly<Record<string, string>>, name: string): string {
  const description = inPath[name];
  if (description === undefined) throw new Error(`openapi: the path parameter "${name}" has no description`);
  return description;
}

function requestBody(body: RequestBody): NonNullable<Operation['requestBody']> {
  const { mediaType = JSON_BODY, schema, otherTypes = [], optional } = body;
  const others = Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: 'string' } }]));
  return { required: optional !== true, content: { [mediaType]: { schema }, ...others } };
}

function successes({ success }: Pick<RouteDescription<unknown, string>, 'success'>): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(success).map(([status, { description, mediaTypes = [JSON_BODY], schema }]) => {
      const contentOf = (type: string): MediaType => (type === JSON_BODY && schema !== undefined ? { schema } : {});
      const content = Object.fromEntries(mediaTypes.map((type) => [type, contentOf(type)]));
      return [status, { description, ...(mediaTypes.length > 0 && { content }) }];
    }),
  );
}

/** Refusals by status; the codes of each in the schema of its body. */
function refusals<Who, Code extends string>(
  { accessOf, statusOf, codeMember, limitHeaders }: DocumentOptions<Who, Code>,
  row: Row<Who, Code>,
  asks: boolean,
): Record<string, Response> {
  const { access, body, errors = [], findings = [], success } = row;
  const codes = new Set<Code | DerivedCode>([
    ...(asks || body !== undefined ? (['VALIDATION_ERROR'] as const) : []),
    ...accessOf(access).codes,
    ...(body === undefined ? [] : (['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...errors,
    'INTERNAL_ERROR',
  ]);
  const statuses = [...new Set([...codes].map((code) => statusOf[code]))];
  return Object.fromEntries(
    statuses
      .filter((status) => !Object.hasOwn(success, status))
      .map((status) => {
        const of: readonly string[] = [...codes].filter((code) => statusOf[code] === status);
        return [status, status === statusOf.VALIDATION_ERROR ? [...of, ...findings] : of] as const;
      })
      .map(([status, of]) => [
        String(status),
        {
          description: of.join(', '),
          ...(status === statusOf.RATE_LIMITED && { headers: limitHeaders }),
          content: {
            [JSON_BODY]: {
              schema: {
                $ref: '#/components/schemas/Error',
                ...(codeMember !== null && { properties: { [codeMember]: { enum: of } } }),
              },
            },
          },
        },
      ]),
  );
}
