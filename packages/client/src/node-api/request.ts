import { elementsOf, parseJson } from '@cer/canonical-json';
import { readBounded } from '@cer/ndjson';
import { isMembers, textOf, type Json, type JsonMembers } from '../json.js';
import { LONGEST_TIMER_MS } from '../longest-timer.js';
import { isNodeErrorCode, NodeError, type NodeErrorFacts } from './node-error.js';
import { isRetryable, parseRetryAfter, pause, reasonOf, retryDelay } from './retry.js';
import { NODE_ROUTES, type RouteName } from './routes.js';
import type { AnswerHeaders, Transport, TransportAnswer, TransportRequest } from './transport.js';

/** A node and how it is reached. */
export interface NodeAccess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly transport: Transport;
  /** Maximum milliseconds for one attempt, as the transport counts them. */
  readonly timeoutMs: number;
  /** Maximum further attempts after the first. */
  readonly retries: number;
  readonly maxAnswerBytes: number;
  readonly random: () => number;
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum milliseconds for one attempt, as the transport counts them. */
  readonly timeoutMs?: number;
  /** Maximum further attempts after the first. */
  readonly retries?: number;
  /** Maximum bytes of an answer that is read whole, and of one line of a streamed answer. */
  readonly maxAnswerBytes?: number;
  /** Called with the size of each part of an answer of `ask`, before it is stored; what it throws ends the request. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** The input of a route. */
export interface NodeQuestion {
  /** The parts of the path that the caller gives, in order. */
  readonly parts?: readonly string[];
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

/** An answer as it was received. */
export interface NodeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads an answer. @param maxBytes maximum size of its body */
type Read<T> = (answer: TransportAnswer, maxBytes: number) => Promise<T>;

/**
 * Sends one request, again where that may help, and reads the answer.
 * @param read gets answers below 300, and redirects where the route is one
 * @throws NodeError for a refusal, or without a usable answer; the reason of an aborted signal
 */
export async function request<T>(access: NodeAccess, name: RouteName, question: Question, read: Read<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptOnce(access, name, question, read);
    } catch (error) {
      await pauseBeforeRetry(access, attempt, error, question.options);
    }
  }
}

/** Waits until a request may be sent again. @throws the error where that does not help; the reason of an aborted signal */
export async function pauseBeforeRetry(
  access: NodeAccess,
  attempt: number,
  error: unknown,
  { signal, retries = access.retries }: RequestOptions = {},
): Promise<void> {
  if (signal?.aborted === true) throw reasonOf(signal);
  if (!(error instanceof NodeError) || attempt >= retries) throw error;
  if (error.status !== null && !isRetryable(error.status)) throw error;
  const wait = retryDelay(attempt, error.retryAfterMs, access.random);
  if (wait === null) throw error;
  await pause(wait, signal);
}

async function attemptOnce<T>(access: NodeAccess, name: RouteName, question: Question, read: Read<T>): Promise<T> {
  const sent = requestOf(access, name, question);
  const maxBytes = question.options?.maxAnswerBytes ?? access.maxAnswerBytes;
  try {
    return await access.transport.exchange(sent, async (answer) => {
      const isRedirect = answer.status >= 300 && answer.status < 400;
      const lacksKey = access.apiKey === null && NODE_ROUTES[name].keyed;
      if (answer.status >= 400 || (isRedirect && name !== 'resolve')) throw await refusal(answer, maxBytes, lacksKey);
      return read(answer, maxBytes);
    });
  } catch (error) {
    throw nodeErrorOf(error, access.url, sent.timeoutMs);
  }
}

/** The NodeError for an error of a transport or a body. */
export function nodeErrorOf(error: unknown, nodeUrl: string, timeoutMs: number): NodeError {
  if (error instanceof NodeError) return error;
  const isTimeout = isMembers(error) && error['name'] === 'TimeoutError';
  return isTimeout
    ? new NodeError('TIMEOUT', `the node did not answer within ${timeoutMs} ms`, {}, { cause: error })
    : new NodeError('UNREACHABLE', `the node cannot be reached: ${nodeUrl}`, {}, { cause: error });
}

function requestOf(access: NodeAccess, name: RouteName, question: Question): TransportRequest {
  return {
    method: NODE_ROUTES[name].method,
    url: addressOf(access, name, question),
    headers: headersOf(access, name, question),
    body: question.body?.bytes ?? null,
    timeoutMs: Math.min(LONGEST_TIMER_MS, question.options?.timeoutMs ?? access.timeoutMs),
    signal: question.options?.signal,
  };
}

function addressOf({ url }: NodeAccess, name: RouteName, { parts = [], query = {} }: Question): string {
  const given = parts.values();
  const path = NODE_ROUTES[name].path.replace(/:\w+/g, () => encodeURIComponent(given.next().value ?? ''));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return `${url}${path}${search.size === 0 ? '' : `?${search.toString()}`}`;
}

function headersOf(
  { apiKey }: NodeAccess,
  name: RouteName,
  { accept, body, withKey, headers: more = {} }: Question,
): Readonly<Record<string, string>> {
  const sendsKey = apiKey !== null && (NODE_ROUTES[name].keyed || withKey === true);
  return {
    accept: accept ?? 'application/json',
    ...Object.fromEntries(Object.entries(more).map(([header, value]) => [header.toLowerCase(), value])),
    ...(body !== undefined && { 'content-type': body.type }),
    ...(sendsKey && { authorization: `Bearer ${apiKey}` }),
  };
}

const NO_KEY = 'no API key was sent: pass apiKey or set CER_API_KEY';

/** A message about an answer that no node gives. */
export const notANode = (message: string): string => `${message}: is nodeUrl the address of a node?`;

/** @throws what the connection throws while the refusal arrives */
async function refusal(answer: TransportAnswer, maxBytes: number, lacksKey: boolean): Promise<NodeError> {
  const body = await jsonOf(answer, maxBytes).catch((error: unknown) => {
    if (error instanceof NodeError) return null;
    throw error;
  });
  const code = textOf(body, 'error');
  const details = isMembers(body) ? elementsOf(body['details']) : [];
  const facts = {
    ...factsOf(answer),
    details: details.filter((detail) => typeof detail === 'string'),
    retryAfterMs: parseRetryAfter(answer.headers.get('retry-after'), Date.now()),
    answer: body,
  };
  if (!isNodeErrorCode(code)) {
    return new NodeError(
      'UNEXPECTED_ANSWER',
      notANode(`the answer, status ${answer.status}, has no known code`),
      facts,
    );
  }
  if (code === 'UNAUTHORIZED' && lacksKey) return new NodeError(code, NO_KEY, facts);
  return new NodeError(code, textOf(body, 'message') ?? `the node answered ${answer.status} ${code}`, facts);
}

const factsOf = (answer: TransportAnswer): Pick<NodeErrorFacts, 'status' | 'requestId'> => ({
  status: answer.status,
  requestId: answer.headers.get('x-request-id'),
});

/** @throws NodeError UNEXPECTED_ANSWER unless the body is a JSON object, ANSWER_TOO_LARGE over the limit */
export async function jsonOf(answer: TransportAnswer, maxBytes: number): Promise<JsonMembers> {
  const bytes = await bytesOf(answer, maxBytes);
  try {
    const body: Json = parseJson(bytes);
    if (isMembers(body)) return body;
  } catch {
    // Not JSON, so not from a node; reported below.
  }
  const message = notANode(`the answer, status ${answer.status}, is not a JSON object`);
  throw new NodeError('UNEXPECTED_ANSWER', message, factsOf(answer));
}

/** The whole body. @throws NodeError ANSWER_TOO_LARGE over the limit, before the rest arrives; the error of `onBytes` */
export async function bytesOf(
  answer: TransportAnswer,
  maxBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBounded(answer.body, maxBytes, onBytes);
  if (bytes !== null) return bytes;
  throw new NodeError('ANSWER_TOO_LARGE', `the answer is larger than ${maxBytes} bytes`, factsOf(answer));
}
