import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import * as z from 'zod';

/** An answer of a service. */
export interface MetAnswer {
  /** Method and path as the document has it: `GET /keys/{keyId}`. */
  readonly route: string;
  readonly status: number;
  /** Media type without parameters; empty for none. */
  readonly type: string;
  /** Of JSON its value. */
  readonly body: unknown;
}

/** An OpenAPI document, compared with answers of its service. */
export interface DescribedAnswers {
  /** Each operation as `GET /keys/{keyId}`, with the statuses that it has. */
  readonly operations: ReadonlyMap<string, readonly number[]>;
  /** How an answer differs from the document; a member without a schema is a fault too. */
  readonly faultsOf: (answer: MetAnswer) => readonly string[];
}

/** Reads the text of an OpenAPI document. @throws TypeError for text that is not an object */
export function describedAnswers(text: string): DescribedAnswers {
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) throw new TypeError('the document is not an object');
  const at = (steps: readonly string[]): JsonValue | undefined =>
    steps.reduce<JsonValue | undefined>((value, step) => (isJsonObject(value) ? value[step] : undefined), document);

  /** A schema with its references resolved, and every object closed that lists its members and does not allow more. */
  const closed = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map((each: JsonValue) => closed(each));
    if (!isJsonObject(value)) return value;
    const { $ref: reference, ...beside } = value;
    if (typeof reference === 'string') return closed(narrowed(at(reference.split('/').slice(1)) ?? {}, beside));
    const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member ?? null)]));
    const isShape = value['type'] === 'object' && isJsonObject(value['properties']);
    return isShape && value['additionalProperties'] === undefined ? { ...inner, additionalProperties: false } : inner;
  };

  const operationAt = (route: string): readonly string[] => {
    const [method = '', path = ''] = route.split(' ');
    return ['paths', path, method.toLowerCase()];
  };
  const faultsOf = ({ route, status, type, body }: MetAnswer): readonly string[] => {
    const place = [...operationAt(route), 'responses', String(status)];
    if (!isJsonObject(at(place))) return ['not described'];
    const content = at([...place, 'content']);
    const types = isJsonObject(content) ? Object.keys(content) : [''];
    if (!types.includes(type)) return [`described as ${types.join(', ')}, not ${type}`];
    if (type !== 'application/json') return [];
    const schema = at([...place, 'content', type, 'schema']);
    if (!isJsonObject(schema)) return ['without a schema'];
    const { success, error } = z
      .fromJSONSchema(closed(schema) as Parameters<typeof z.fromJSONSchema>[0])
      .safeParse(body);
    return success ? [] : [z.prettifyError(error)];
  };

  const paths = at(['paths']);
  const operations = Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, methods]) =>
    Object.keys(isJsonObject(methods) ? methods : {}).map((method): [string, readonly number[]] => {
      const responses = at(['paths', path, method, 'responses']);
      return [`${method.toUpperCase()} ${path}`, Object.keys(isJsonObject(responses) ? responses : {}).map(Number)];
    }),
  );
  return { operations: new Map(operations), faultsOf };
}

/** A schema with the rules that a reference to it has beside it, such as the values of one member. */
function narrowed(schema: JsonValue, { properties, ...rules }: JsonObject): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const { properties: known } = schema;
  if (!isJsonObject(known) || !isJsonObject(properties)) return { ...schema, ...rules };
  const narrow = Object.entries(properties).map(([name, rule]) => {
    const whole = known[name];
    return [name, isJsonObject(whole) && isJsonObject(rule) ? { ...whole, ...rule } : rule] as const;
  });
  return { ...schema, ...rules, properties: { ...known, ...Object.fromEntries(narrow) } };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The path of a route as the document has it. */
export function documentPath(path: string): string {
  return path.replaceAll(/:(\w+)\+?/g, '{$1}');
}
