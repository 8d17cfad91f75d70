import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResponseHeaders, ServiceResponse } from '../handler/handler.js';
import type { OutgoingAnswer, ResponseBudget } from '../limits/response-budget.js';
import { announcesBody } from '../bodies/read-body.js';

/** The rest of a refused body up to this size is read and discarded, so that the connection stays open. */
const KEEP_ALIVE_REST_BYTES = 1024 * 1024;
/** Maximum time and bytes that a client may send beyond that before its connection is closed. */
const LINGER_MS = 1000;
const LINGER_BYTES = 8 * 1024 * 1024;
/** Maximum time, in ms, in which a client reads nothing of a waiting answer. */
const STALL_MS = 60_000;
/** A smaller answer fits into the system's socket buffers, also when the client does not read. */
const BUFFERED_BYTES = 64 * 1024;
/** Approximate slice size of a larger answer; each slice is sent when the client has read the previous one. */
const SLICE_LENGTH = 128 * 1024;

type Headers = Record<string, string | number | string[]>;

/** `aborted`: the client disconnected or stopped reading before the end of the answer. */
export type SendOutcome = 'sent' | 'aborted';

/** Where an answer goes, and what belongs to its head. */
export interface AnswerTarget {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers of the route, lower case; the answer's own replace them. */
  readonly base: ResponseHeaders;
  readonly requestId: string;
  readonly stallMs?: number | undefined;
  /** Bounds large answers that clients have not read. */
  readonly budget?: ResponseBudget;
}

/**
 * Writes an answer, head and body together where possible. A client that stops reading loses its connection.
 * @throws whatever a streamed body throws; the connection is then cut, so that the answer does not look complete
 * @throws ServiceError SERVICE_UNAVAILABLE when the budget has no room; nothing was sent
 */
export async function sendResponse(
  answer: ServiceResponse,
  { request, response, base, requestId, stallMs = STALL_MS, budget }: AnswerTarget,
): Promise<SendOutcome> {
  const { status, body } = answer;
  if (response.destroyed) {
    if (isStream(body)) await abandon(body);
    return 'aborted';
  }
  const headers: Headers = { ...base };
  for (const name of Object.keys(answer.headers)) headers[name.toLowerCase()] = answer.headers[name] ?? '';
  headers['x-request-id'] = requestId;
  if (answer.cookies !== undefined) headers['set-cookie'] = [...answer.cookies];

  if (isStream(body)) {
    response.writeHead(status, headers);
    return sendStream(request, response, body, stallMs);
  }
  const size = byteLength(body);
  if (body !== null || (status !== 204 && status !== 304)) headers['content-length'] = size;
  const isUnfinished = announcesBody(request) && !request.complete;
  if (body !== null && size > BUFFERED_BYTES && request.method !== 'HEAD') {
    if (isUnfinished) {
      // The announced body may never arrive: received bytes are discarded, and the connection ends with the answer.
      headers['connection'] = 'close';
      request.resume();
    }
    const cut = (): void => {
      response.destroy();
    };
    const outgoing = budget?.take(size, cut) ?? null;
    try {
      response.writeHead(status, headers);
      return await sendStream(request, response, slices(body, outgoing), stallMs);
    } finally {
      outgoing?.release();
    }
  }
  if (isUnfinished && !isRestShort(request)) {
    headers['connection'] = 'close';
    response.writeHead(status, headers);
    await sendBeforeBodyEnds(request, response, body);
  } else {
    response.writeHead(status, headers).end(body ?? undefined);
    if (isUnfinished) request.resume();
  }
  return 'sent';
}

function isStream(body: ServiceResponse['body']): body is AsyncIterable<Uint8Array | string> {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Lets an unread stream release its resources. */
async function abandon(body: AsyncIterable<unknown>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

function byteLength(body: Uint8Array | string | null): number {
  return body === null ? 0 : Buffer.byteLength(body);
}

/** Text is encoded slice by slice, so that it is not in memory twice. */
async function* slices(body: Uint8Array | string, outgoing: OutgoingAnswer | null): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length;) {
    let end = Math.min(start + SLICE_LENGTH, body.length);
    // A surrogate pair must not be split between two slices.
    if (typeof body === 'string' && isHighSurrogate(body.charCodeAt(end - 1))) end += 1;
    const slice = typeof body === 'string' ? Buffer.from(body.slice(start, end)) : body.subarray(start, end);
    yield slice;
    outgoing?.passed(slice.length);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Whether the client sends the rest of its body, and soon: one that waited for "100 Continue" may never send it. */
function isRestShort({ headers }: IncomingMessage): boolean {
  const rest = headers['content-length'];
  return rest !== undefined && headers.expect === undefined && Number(rest) <= KEEP_ALIVE_REST_BYTES;
}

/** Answers while the client is still sending: the client can read the answer before the connection ends. */
async function sendBeforeBodyEnds(
  request: IncomingMessage,
  response: ServerResponse,
  body: Uint8Array | string | null,
): Promise<void> {
  if (body === null || request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  await drainBriefly(request);
  if (!response.destroyed) response.end();
}

async function drainBriefly(request: IncomingMessage): Promise<void> {
  const done = new AbortController();
  let size = 0;
  const stop = (): void => {
    done.abort();
  };
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LINGER_BYTES) stop();
  });
  request.once('end', stop).once('close', stop).resume();
  if (request.destroyed) stop();
  await delay(LINGER_MS, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
}

/** Sends the body after its head. */
async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  body: AsyncIterable<Uint8Array | string>,
  stallMs: number,
): Promise<SendOutcome> {
  if (request.method === 'HEAD') {
    await abandon(body);
    response.end();
    return 'sent';
  }
  response.flushHeaders();
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
  };
  response.once('close', leave);
  try {
    for await (const chunk of body) {
      if (response.destroyed) return 'aborted';
      if (!response.write(chunk)) await drained(response, gone, stallMs);
    }
    if (response.destroyed) return 'aborted';
    response.end();
    return 'sent';
  } catch (error) {
    response.destroy();
    if (gone.signal.aborted) return 'aborted';
    throw error;
  } finally {
    response.off('close', leave);
    if (!request.complete) request.resume();
  }
}

/** Waits until the client has read more; after the maximum time it counts as gone. */
async function drained(response: ServerResponse, gone: AbortController, stallMs: number): Promise<void> {
  const stalled = setTimeout(() => {
    gone.abort();
  }, stallMs);
  try {
    await once(response, 'drain', { signal: gone.signal });
  } finally {
    clearTimeout(stalled);
  }
}
