import request from 'supertest';

/** A raw HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed JSON of `text`, or undefined if it is not JSON. */
  readonly body: unknown;
}

export interface Question {
  /** A Bearer key. */
  readonly key?: string;
  /** Text is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Method = 'get' | 'head' | 'options' | 'post' | 'put' | 'delete';

/** One request over real HTTP; redirects are not followed. */
export async function ask(
  { url }: { readonly url: string },
  method: Method,
  path: string,
  { key, body, headers = {} }: Question = {},
): Promise<Answer> {
  const asked = request(url)
    [method](path)
    .redirects(0)
    .ok(() => true)
    .buffer(true)
    .parse(collect);
  if (key !== undefined) asked.set('Authorization', `Bearer ${key}`);
  if (body !== undefined) asked.set('Content-Type', 'application/json');
  for (const [name, value] of Object.entries(headers)) asked.set(name, value);
  const response = await (body === undefined
    ? asked
    : asked.send(typeof body === 'string' ? body : JSON.stringify(body)));
  const { status, headers: answered }: { status: number; headers: Answer['headers'] } = response;
  // The answer to HEAD is never parsed.
  const parsed: unknown = response.body;
  const text = typeof parsed === 'string' ? parsed : '';
  return { status, headers: answered, text, body: jsonOrUndefined(text) };
}

function collect(response: request.Response, done: (error: Error | null, body: unknown) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => (text += chunk));
  response.on('end', () => {
    done(null, text);
  });
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of members and indexes; undefined if missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step) ? Reflect.get(inner, step) : undefined,
    value,
  );
}

/** Like `at`, for text. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`no text at ${path.join('.')}`);
  return found;
}

/** Like `at`, for an object. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): Record<string, unknown> {
  const found = at(value, ...path);
  if (typeof found !== 'object' || found === null) throw new Error(`no object at ${path.join('.')}`);
  return found as Record<string, unknown>;
}
