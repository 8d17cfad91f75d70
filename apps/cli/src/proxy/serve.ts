import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isNativeError } from 'node:util/types';
import { ByteParts } from '@cer/ndjson';
import { faultCode } from '../files/fault-code.js';
import { bodyStream } from './body-stream.js';
import { passedOn } from './passed-on.js';

export interface ProxySettings {
  /** Where requests go: the address of a provider, without a slash at its end. */
  readonly to: string;
  /** Of this machine; 0 for any that is free. */
  readonly port: number;
  /** Makes the calls and observes them. */
  readonly fetch: typeof globalThis.fetch;
}

export interface Proxy {
  readonly url: string;
  /** Takes no further request, and waits for those under way. */
  close(): Promise<void>;
  /** Ends all connections. */
  abort(): void;
}

/** Maximum bytes of a body that is read for a certificate; more is forwarded without one. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Longer than programs keep a connection for their next call. */
const KEEP_ALIVE_MS = 75_000;
/** How long the rest of a request may take when the proxy ends. */
const LAST_REQUEST_MS = 2000;

/**
 * Forwards to one provider what programs of this machine ask. Requests, answers, keys and errors are those of program and
 * provider; only headers that concern a single connection are not passed on, and answers are asked for uncompressed.
 * @throws Error of the system when the port cannot be listened on
 */
export async function startProxy(settings: ProxySettings): Promise<Proxy> {
  /** Each ends with its response, and when its call is certified. */
  const running = new Map<Promise<void>, IncomingMessage>();
  let isClosing = false;
  // An upload may take as long as it takes; heads have their limit.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    if (isClosing) {
      response.setHeader('connection', 'close');
      answerWith(response, 503, 'it ends');
      return;
    }
    const work = handle(settings, request, response).finally(() => {
      running.delete(work);
      if (isClosing && running.size === 0) server.closeAllConnections();
    });
    running.set(work, request);
  });
  // Other machines must not use the provider.
  server.listen(settings.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ended = once(server, 'close');
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      isClosing = true;
      server.close();
      if (running.size === 0) server.closeAllConnections();
      const late = setTimeout(() => {
        for (const request of running.values()) if (!request.complete) request.destroy();
      }, LAST_REQUEST_MS);
      await ended;
      clearTimeout(late);
      // A call whose connection has ended is certified a little later.
      await Promise.all(running.keys());
    },
    abort: () => {
      server.closeAllConnections();
    },
  };
}

/** Answers a request, and waits until the program has the answer or has gone. */
async function handle(settings: ProxySettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const ended = endOf(request, response).then(() => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    await forward(settings, request, response, gone.signal);
  } catch (error) {
    const code = faultCode(error);
    if (code !== null) answerWith(response, 502, `the request to ${settings.to} failed (${code})`);
    // Without a code it is the client's: a call that would get no certificate is refused.
    else answerWith(response, 503, isNativeError(error) ? error.message : 'unknown fault');
  }
  await ended;
}

/** A response that waits behind another one of its connection has no event of its own when that ends. */
function endOf(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { socket } = request;
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off('close', end);
      resolve();
    };
    response.once('close', end);
    socket.once('close', end);
  });
}

async function forward(
  settings: ProxySettings,
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const refusal = refusalOf(request);
  if (refusal !== null) {
    answerWith(response, ...refusal);
    return;
  }
  const body = await bodyOf(request);
  const answer = await settings.fetch(`${settings.to}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers: [...passedOn(request.rawHeaders), ['accept-encoding', 'identity']],
    signal: gone,
    ...(body !== null && { body }),
  });
  try {
    response.writeHead(answer.status, answer.statusText, passedOn([...answer.headers].flat()).flat());
    await pour(answer, response, gone);
  } catch {
    // The program sees that the answer broke off.
    response.destroy();
    answer.body?.cancel().catch(() => undefined);
  }
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Pages of browsers must not get around the checks of a local provider, by a name of their own or from another site. */
function refusalOf({ url, headers }: IncomingMessage): [status: number, message: string] | null {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const isPage = site === 'cross-site' || site === 'same-site';
  const isFar = origin !== undefined && !LOCAL.test(origin.replace(/^https?:\/\//i, ''));
  if (!LOCAL.test(host) || isPage || isFar) return [403, 'only programs of this machine may use it'];
  if (url?.startsWith('/') === true) return null;
  return [400, 'this is the base URL of an SDK, not an HTTP proxy'];
}

/** Bodies that are no calls of models, and may be large. */
const FILES = /^(multipart|audio|video|image)\/|^application\/octet-stream/i;

/** As a whole, so that it can be certified, whatever its type: `curl -d` states that of a form. Files as they arrive. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null> {
  const { 'content-type': type = '', 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (transfer === undefined && (length === undefined || Number(length) === 0)) return null;
  if (FILES.test(type) || request.headers['content-encoding'] !== undefined) return bodyStream(request);
  const parts = new ByteParts();
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    if (part instanceof Uint8Array) parts.add(part);
    if (parts.size > MAX_BODY_BYTES) return bodyStream(request, { before: parts.parts() });
  }
  return parts.joined();
}

/** The empty chunk sends the head as it is: with text behind it Node.js writes the head as UTF-8. */
const NOTHING = new Uint8Array(0);

/** Writes the answer as the program takes it: nothing is read ahead. */
async function pour({ body }: Response, response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (body !== null) response.write(NOTHING);
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      if (!response.write(read.value)) await once(response, 'drain', { signal: gone });
    }
  } catch (error) {
    reader?.cancel().catch(() => undefined);
    throw error;
  }
  response.end();
}

/** Answers in the shape of a provider's error, which SDKs show. */
function answerWith(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: `cer proxy: ${message}`, type: 'cer_proxy' } }));
}
