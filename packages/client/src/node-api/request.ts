import { parseJson } from '@cer/canonical-json';
import { isMembers, textOf, type Json, type JsonMembers } from '../json.js';
import { isNodeErrorCode, NodeError, type NodeErrorFacts } from './node-error.js';
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
  /** Maximum bytes of an answer that is read whole. 256 MiB when absent: the largest project, with a margin. */
  readonly maxAnswerBytes?: number;
}

/** What is sent to a route. */
export interface NodeQuestion {
  /** The part of the path that the caller gives. */
  readonly part?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: { readonly bytes: string | Uint8Array<ArrayBuffer>; readonly type: string };
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the API key although the route needs none. */
  readonly withKey?: boolean;
}

export interface Question extends NodeQuestion {
  readonly options?: RequestOptions | undefined;
}

/** An answer as it came. */
export interface NodeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/**
 * Sends one request, again where that may help, and reads the answer.
 * @param read gets answers below 300, and redirects where the route is one; the timeout of the attempt covers it
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
    // Not as a method: browsers and edge runtimes refuse a fetch that is called on another object.
    const { fetch } = access;
    const response = await fetch(addressOf(access, name, question), {
      method: NODE_ROUTES[name].method,
      headers: headersOf(access, name, question),
      ...(question.body !== undefined && { body: question.body.bytes }),
      redirect: 'manual',
      signal: AbortSignal.any(signals),
    });
    const isRedirect = response.status >= 300 && response.status < 400;
    if (response.status >= 400 || (isRedirect && name !== 'resolve')) throw await refusal(response, question.options);
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

function headersOf(
  { apiKey }: NodeAccess,
  name: RouteName,
  { accept, body, withKey, headers: more }: Question,
): Headers {
  const headers = new Headers({ accept: accept ?? 'application/json', ...more });
  if (body !== undefined) headers.set('content-type', body.type);
  if (apiKey !== null && (NODE_ROUTES[name].keyed || withKey === true))
    headers.set('authorization', `Bearer ${apiKey}`);
  return headers;
}

async function refusal(response: Response, options: RequestOptions | undefined): Promise<NodeError> {
  const body = await jsonOf(response, options).catch(() => null);
  const code = textOf(body, 'error');
  const details = isMembers(body) && Array.isArray(body['details']) ? (body['details'] as readonly Json[]) : [];
  const facts = {
    ...factsOf(response),
    details: details.filter((detail) => typeof detail === 'string'),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
    answer: body,
  };
  if (!isNodeErrorCode(code)) {
    return new NodeError('UNEXPECTED_ANSWER', `the node answered ${response.status} with an unknown code`, facts);
  }
  return new NodeError(code, textOf(body, 'message') ?? `the node answered ${response.status} ${code}`, facts);
}

const factsOf = (response: Response): Pick<NodeErrorFacts, 'status' | 'requestId'> => ({
  status: response.status,
  requestId: response.headers.get('x-request-id'),
});

/** @throws NodeError UNEXPECTED_ANSWER unless the body is a JSON object, ANSWER_TOO_LARGE over the limit */
export async function jsonOf(response: Response, options?: RequestOptions): Promise<JsonMembers> {
  const bytes = await bytesOf(response, options);
  try {
    const body: Json = parseJson(bytes);
    if (isMembers(body)) return body;
  } catch {
    // Not JSON, so not from a node; reported below.
  }
  const message = `the answer, status ${response.status}, is not a JSON object`;
  throw new NodeError('UNEXPECTED_ANSWER', message, factsOf(response));
}

/** What is used of a stream's reader: the declarations of Node.js and of browsers differ. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The whole body. @throws NodeError ANSWER_TOO_LARGE over the limit, before the rest arrives */
export async function bytesOf(
  response: Response,
  { maxAnswerBytes = MAX_ANSWER_BYTES }: RequestOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const reader: ByteReader | undefined = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) break;
    length += chunk.byteLength;
    if (length > maxAnswerBytes) {
      await reader?.cancel();
      const message = `the answer is larger than ${maxAnswerBytes} bytes`;
      throw new NodeError('ANSWER_TOO_LARGE', message, factsOf(response));
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
