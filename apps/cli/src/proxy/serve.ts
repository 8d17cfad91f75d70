import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isNativeError } from 'node:util/types';
import { readBounded } from '@cer/ndjson';
import { faultCode } from '../files/fault-code.js';
import { bodyStream } from './body-stream.js';

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
}

/** Maximum bytes of JSON that are read for a certificate; more is forwarded without one. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** Longer than programs keep a connection for their next call. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Forwards to one provider what programs of this machine ask. Requests, answers, keys and errors are those of program and
 * provider; only headers that concern a single connection are not passed on, and answers are asked for uncompressed.
 * @throws Error of the system when the port cannot be listened on
 */
export async function startProxy(settings: ProxySettings): Promise<Proxy> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    forward(settings, request, response).catch((error: unknown) => {
      const code = faultCode(error);
      if (code !== null) answerWith(response, 502, `${settings.to} cannot be reached (${code})`);
      // Without a code it is the client's: a call that would get no certificate is refused.
      else answerWith(response, 503, isNativeError(error) ? error.message : 'unknown fault');
    });
  });
  // Other machines must not use the provider.
  server.listen(settings.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await ended;
}

async function forward(settings: ProxySettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const refusal = refusalOf(request);
  if (refusal !== null) {
    answerWith(response, ...refusal);
    return;
  }
  const body = await bodyOf(request);
  if (body === null) {
    answerWith(response, 413, `JSON must have at most ${MAX_JSON_BYTES} bytes`);
    return;
  }
  const answer = await settings.fetch(`${settings.to}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers: [...passedOn(pairsOf(request.rawHeaders)), ['accept-encoding', 'identity']],
    signal: gone.signal,
    ...(body !== 'none' && { body }),
  });
  response.writeHead(answer.status, answer.statusText, passedOn([...answer.headers]).flat());
  try {
    await pour(answer, response, gone.signal);
  } catch {
    // The program sees that the answer broke off.
    response.destroy();
  }
}

function refusalOf({ url, headers }: IncomingMessage): [status: number, message: string] | null {
  // A page of a browser reaches this port by a name of its own: it must not get around the checks of a local provider.
  if (!LOCAL.test(headers.host ?? '')) return [403, 'only programs of this machine may use it'];
  if (url?.startsWith('/') === true) return null;
  return [400, 'this is the base URL of an SDK, not an HTTP proxy'];
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * JSON as a whole, so that it can be certified; other bodies as they arrive.
 * @returns null for JSON that is too long
 */
async function bodyOf(
  request: IncomingMessage,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | 'none' | null> {
  const { 'content-type': type = '', 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return 'none';
  if (/^application\/json\b/i.test(type)) return readBounded(request, MAX_JSON_BYTES);
  return bodyStream(request);
}

type Pair = [name: string, value: string];

function pairsOf(rawHeaders: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Headers of one connection, and those that each request states anew. @see RFC 9110, 7.6.1 */
const OWN: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect', 'accept-encoding'],
]);

function passedOn(headers: readonly Pair[]): Pair[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
  return headers.filter(([name]) => !OWN.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}

/** Writes the answer as the program takes it: nothing is read ahead. */
async function pour({ body }: Response, response: ServerResponse, gone: AbortSignal): Promise<void> {
  response.flushHeaders();
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
