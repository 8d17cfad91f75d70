import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { bodyStream } from './body-stream.js';

/** A provider, by `node:http`: the global `fetch` gives up a model that thinks for five minutes. */
export interface Upstream {
  /**
   * Answers arrive as they are read, and redirects are the caller's.
   * @param input an address
   * @param init its body, if any, is bytes or a stream
   * @throws Error of the connection; named `AbortError` after `init.signal`
   */
  readonly fetch: typeof globalThis.fetch;
  close(): void;
}

export function createUpstream(): Upstream {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  const send = (url: URL, { method = 'GET', headers, body, signal }: RequestInit): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        ...{ agent: isSecure ? agents.https : agents.http, method },
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal != null && { signal }),
      });
      request.once('response', resolve);
      request.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('the provider changed the protocol'));
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error);
      });
      if (body instanceof ReadableStream) {
        // The request has the error of either.
        pipeline(Readable.from(chunksOf(body)), request, () => undefined);
      } else request.end(body instanceof Uint8Array ? body : undefined);
    });

  return {
    fetch: async (input, init = {}) => {
      if (typeof input !== 'string') throw new TypeError('the address must be text');
      const url = new URL(input);
      const answer = await send(url, init).catch((error: unknown) => {
        // The provider closed a connection that was kept open as the request was on its way, and received nothing of it.
        if (error instanceof StaleConnection && !(init.body instanceof ReadableStream)) return send(url, init);
        throw error;
      });
      return responseOf(answer, init.method === 'HEAD');
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** By its name. Some providers compress without being asked, and the observer reads text. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** @throws RangeError for a status that no response can have */
function responseOf(answer: IncomingMessage, isHead: boolean): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  if (isHead || BODILESS.has(status)) {
    answer.resume();
    return new Response(null, { status, statusText, headers });
  }
  const unpacker = UNPACKERS.get(headers.get('content-encoding')?.toLowerCase() ?? '');
  if (unpacker === undefined) return new Response(bodyStream(answer), { status, statusText, headers });
  headers.delete('content-encoding');
  headers.delete('content-length');
  // The unpacked stream has the error of either.
  const unpacked = pipeline(answer, unpacker(), () => undefined);
  return new Response(bodyStream(unpacked), { status, statusText, headers });
}
