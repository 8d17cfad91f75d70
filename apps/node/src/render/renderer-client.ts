import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { isJsonObject, jcsV1, parseJson, type JsonObject } from '@cer/canonical-json';
import { sha256, type Sha256Hash } from '@cer/cer-core';
import { ServiceError } from '@cer/http-service';
import { equalSecret, type Secret } from '@cer/http-service/config';
import { readBounded } from '@cer/ndjson';
import type { NodeCode } from '../errors/refusals.js';

/** The engine of a job: by its name, or the portable one as a certificate names it. */
export type EngineOrder = 'portable' | 'chromium-native' | JsonObject;

/** A render job: the sketch and its caller. */
export interface SketchOrder {
  readonly tenantId: string;
  readonly engine: EngineOrder;
  readonly code: string;
  readonly seed: string;
  readonly vars: readonly number[];
}

export type RendererRoute = '/render' | '/inspect' | '/loop';

/** Client of the renderer, which runs untrusted code: over HTTP, every response bound to its request. */
export interface RendererClient {
  /** @throws ServiceError with the renderer's refusal, or RENDERER_UNAVAILABLE */
  readonly ask: (route: RendererRoute, order: object, signal: AbortSignal) => Promise<JsonObject>;
  /** Like `ask` for a loop, with progress events. */
  readonly follow: (order: object, signal: AbortSignal) => AsyncGenerator<RenderProgress, JsonObject>;
  readonly video: (order: object, mediaType: string, signal: AbortSignal) => Promise<Uint8Array>;
}

/** Data of a progress event, unchanged from the renderer. */
export interface RenderProgress {
  readonly data: string;
}

/** Maximum response size: sketches and PNGs are smaller. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Error codes about the sketch or the caller; any other error is internal to the renderer. */
const PASSED_ON: ReadonlySet<string> = new Set<NodeCode>([
  'VALIDATION_ERROR',
  'PROTOCOL_VIOLATION',
  'LOOP_MODE_ERROR',
  'PAYLOAD_TOO_LARGE',
  'CANNOT_BE_JUDGED',
  'RENDER_ERROR',
  'RENDER_TIMEOUT',
  'RENDER_MEMORY_LIMIT',
  'RENDER_NOT_REPRODUCIBLE',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'VIDEO_UNAVAILABLE',
]);

export function rendererUnavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError(
    { code: 'RENDERER_UNAVAILABLE', message, headers: { 'retry-after': '2' } },
    cause === undefined ? undefined : { cause },
  );
}

/** An answer whose head has arrived, and the request that it must be bound to. */
interface Answered {
  readonly nonce: string;
  readonly body: string;
  readonly answer: IncomingMessage;
}

/** @param token the internal token that node and renderer share */
export function createRendererClient(url: string, token: Secret<string>): RendererClient {
  const agent = new Agent({ keepAlive: true });

  const send = (route: RendererRoute, order: object, accept: string, signal: AbortSignal): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const nonce = randomBytes(24).toString('base64url');
      const body = JSON.stringify(order);
      const sent = httpRequest(`${url}${route}`, {
        method: 'POST',
        agent,
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: `Bearer ${token.reveal()}`,
          'x-render-nonce': nonce,
          accept,
        },
      });
      sent.once('response', (answer) => {
        resolve({ nonce, body, answer });
      });
      // Without a listener the connection closes with no error, and the request would never end.
      sent.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(rendererUnavailable('the renderer changed the protocol'));
      });
      sent.once('error', (error) => {
        reject(signal.aborted ? error : rendererUnavailable('the renderer cannot be reached: retry later', error));
      });
      sent.end(body);
    });

  /** Accepts only a response to this request, authenticated with the shared token. */
  const assertGenuine = ({ nonce, body }: Answered, responseHash: Sha256Hash, mac: unknown): void => {
    const message = jcsV1.canonicalize({ nonce, requestHash: sha256(body), responseHash });
    const expected = createHmac('sha256', token.reveal()).update(message).digest('base64url');
    if (typeof mac !== 'string' || !equalSecret(mac, expected)) {
      throw rendererUnavailable('the answer of the renderer is not genuine');
    }
  };

  const whole = async (answered: Answered, signal: AbortSignal): Promise<Uint8Array> => {
    const { answer } = answered;
    const bytes = await readAll(answer, signal);
    // Its limit is lower than the node's; refused before the body is read, so not bound to the request.
    if (answer.statusCode === 413)
      throw new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: 'the sketch is too large' });
    // Responses sent before a handler runs (wrong token, full socket queue) are not bound to the request.
    if (answer.headers['x-render-mac'] === undefined) throw rendererUnavailable('the renderer refused the node');
    assertGenuine(answered, sha256(bytes), answer.headers['x-render-mac']);
    if (answer.statusCode !== 200) throw refusalOf(objectIn(bytes), retryAfterOf(answer));
    return bytes;
  };

  return {
    ask: async (route, order, signal) =>
      objectIn(await whole(await send(route, order, 'application/json', signal), signal)),
    video: async (order, mediaType, signal) => whole(await send('/loop', order, mediaType, signal), signal),
    follow: async function* (order, signal) {
      const answered = await send('/loop', order, 'text/event-stream', signal);
      const { answer } = answered;
      if (answer.headers['content-type']?.startsWith('text/event-stream') !== true) {
        throw refusalOf(objectIn(await whole(answered, signal)), retryAfterOf(answer));
      }
      let last: ServerEvent | null = null;
      for await (const event of serverEvents(bodyOf(answer, signal))) {
        if (event.name === 'progress') yield { data: event.data };
        else if (event.name === 'mac' && last !== null) {
          assertGenuine(answered, sha256(last.data), event.data);
          const value = objectIn(Buffer.from(last.data));
          if (last.name === 'result') return value;
          throw refusalOf(isJsonObject(value['body']) ? value['body'] : {});
        } else last = event;
      }
      throw brokeOff();
    },
  };
}

function brokeOff(cause?: unknown): ServiceError {
  return rendererUnavailable('the renderer broke off: retry later', cause);
}

/** @throws ServiceError RENDERER_UNAVAILABLE when the renderer ends before its answer; the error of an aborted signal */
async function* bodyOf(answer: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* answer;
  } catch (error) {
    throw signal.aborted ? error : brokeOff(error);
  }
}

async function readAll(answer: AsyncIterable<Buffer>, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = await readBounded(bodyOf(answer, signal), MAX_ANSWER_BYTES);
  if (bytes === null) throw rendererUnavailable('the answer of the renderer is too large');
  return bytes;
}

function objectIn(bytes: Uint8Array): JsonObject {
  try {
    const value = parseJson(bytes);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw rendererUnavailable('the answer of the renderer is not JSON', cause);
  }
  throw rendererUnavailable('the answer of the renderer is not an object');
}

/** The renderer's messages about a sketch are passed to its author; its other errors are not. */
function refusalOf({ error, message, line, details }: JsonObject, retryAfter?: string): ServiceError {
  if (typeof error !== 'string' || !PASSED_ON.has(error))
    return rendererUnavailable('the renderer is not available: retry later');
  return new ServiceError({
    code: error,
    ...(typeof message === 'string' && { message }),
    ...(Array.isArray(details) && { details: details.filter((detail) => typeof detail === 'string') }),
    ...(typeof line === 'number' && { members: { line } }),
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });
}

/** Not bound to the request, so accepted only as a number of seconds. */
function retryAfterOf({ headers }: IncomingMessage): string | undefined {
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? seconds : undefined;
}

interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** The events of a text/event-stream whose events have one data line each. */
async function* serverEvents(answer: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer) {
    const piece = decoder.decode(chunk, { stream: true });
    text += piece;
    if (text.length > MAX_ANSWER_BYTES) throw rendererUnavailable('the answer of the renderer is too large');
    // Within a picture nothing can end: to search the whole text in each chunk would take longer with every chunk.
    if (!piece.includes('\n')) continue;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [name, data] = [field('event'), field('data')];
      if (name !== undefined && data !== undefined) yield { name, data };
    }
  }
}
