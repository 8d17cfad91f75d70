import { parseJson } from '@cer/canonical-json';
import { isMembers, textOf, type Json, type JsonMembers } from '../json.js';
import { isNodeErrorCode, NodeError } from './node-error.js';
import { isRetryable, parseRetryAfter, pause, reasonOf, retryDelay } from './retry.js';
import { NODE_ROUTES, type RouteName } from './routes.js';

/** A node and how it is reached. */
export interface NodeAccess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly fetch: typeof globalThis.fetch;
  /** Maximum milliseconds for one attempt. */
  readonly timeoutMs: number;
  /** Maximum further attempts after the first. */
  readonly retries: number;
  readonly random: () => number;
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Maximum milliseconds for one attempt. */
  readonly timeoutMs?: number;
  /** Maximum further attempts after the first. */
  readonly retries?: number;
}

export interface Question {
  readonly part?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: { readonly text: string; readonly type: string };
  readonly accept?: string;
  /** Sends the API key although the route needs none. */
  readonly withKey?: boolean;
  readonly options?: RequestOptions | undefined;
}

/**
 * Sends one request, again where that may help, and reads the answer.
 * @param read gets answers below 400; the timeout of the attempt covers it
 * @throws NodeError for a refusal, or without a usable answer; the reason of an aborted signal
 */
export async function request<T>(
  access: NodeAccess,
  name: RouteName,
  question: Question,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs = access.timeoutMs, retries = access.retries } = question.options ?? {};
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptOnce(access, name, question, timeoutMs, read);
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      if (!(error instanceof NodeError) || attempt >= retries) throw error;
      if (error.status !== null && !isRetryable(error.status)) throw error;
      const wait = retryDelay(attempt, error.retryAfterMs, access.random);
      if (wait === null) throw error;
      await pause(wait, signal);
    }
  }
}

async function attemptOnce<T>(
  access: NodeAccess,
  name: RouteName,
  question: Question,
  timeoutMs: number,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, timeoutMs);
  const { signal } = question.options ?? {};
  const signals = signal === undefined ? [timeout.signal] : [timeout.signal, signal];
  try {
    const response = await access.fetch(addressOf(access, name, question), {
      method: NODE_ROUTES[name].method,
      headers: headersOf(access, name, question),
      ...(question.body !== undefined && { body: question.body.text }),
      redirect: 'manual',
      signal: AbortSignal.any(signals),
    });
    if (response.status >= 400) throw await refusal(response);
    return await read(response);
  } catch (error) {
    if (error instanceof NodeError) throw error;
    if (timeout.signal.aborted) {
      throw new NodeError('TIMEOUT', `the node did not answer within ${timeoutMs} ms`, {}, { cause: error });
    }
    throw new NodeError('UNREACHABLE', 'the node cannot be reached', {}, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function addressOf({ url }: NodeAccess, name: RouteName, { part = '', query = {} }: Question): string {
  const path = NODE_ROUTES[name].path.replace(/:\w+/, encodeURIComponent(part));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return `${url}${path}${search.size === 0 ? '' : `?${search.toString()}`}`;
}

function headersOf({ apiKey }: NodeAccess, name: RouteName, { accept, body, withKey }: Question): Headers {
  const headers = new Headers({ accept: accept ?? 'application/json' });
  if (body !== undefined) headers.set('content-type', body.type);
  if (apiKey !== null && (NODE_ROUTES[name].keyed || withKey === true))
    headers.set('authorization', `Bearer ${apiKey}`);
  return headers;
}

async function refusal(response: Response): Promise<NodeError> {
  const body = await jsonOf(response).catch(() => ({}));
  const code = textOf(body, 'error');
  const details = isMembers(body) && Array.isArray(body['details']) ? (body['details'] as readonly Json[]) : [];
  const facts = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    details: details.filter((detail) => typeof detail === 'string'),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
  };
  if (!isNodeErrorCode(code)) {
    return new NodeError('UNEXPECTED_ANSWER', `the node answered ${response.status} with an unknown code`, facts);
  }
  return new NodeError(code, textOf(body, 'message') ?? `the node answered ${response.status} ${code}`, facts);
}

/** @throws NodeError UNEXPECTED_ANSWER unless the body is a JSON object */
export async function jsonOf(response: Response): Promise<JsonMembers> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  try {
    const body: Json = parseJson(bytes);
    if (isMembers(body)) return body;
  } catch {
    // Not JSON, so not from a node; reported below.
  }
  throw new NodeError('UNEXPECTED_ANSWER', `the answer, status ${response.status}, is not a JSON object`, {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
  });
}
