import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { bodyStream } from './body-stream.js';

/** A provider, by `node:http`: the global `fetch` gives up a model that thinks for five minutes. */
export interface Upstream {
  /**
   * Answers arrive as they are read, and redirects are the caller's. No request is sent again: a provider may have done the
   * work of one whose connection broke.
   * @param input an address
   * @param init its body, if any, is bytes or a stream
   * @throws Error of the connection; named `AbortError` after `init.signal`
   */
  readonly fetch: typeof globalThis.fetch;
  close(): void;
}

const MAX_HEAD_BYTES = 64 * 1024;

export function createUpstream(): Upstream {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  const send = (address: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { protocol, hostname, port, origin } = new URL(address);
      const isSecure = protocol === 'https:';
      const stated = Object.fromEntries(new Headers(headers));
      // What a method without a body of its own would send without its length or its chunks is a second request.
      const framing =
        body instanceof Uint8Array
          ? { 'content-length': String(body.length) }
          : body instanceof ReadableStream && !('content-length' in stated) && { 'transfer-encoding': 'chunked' };
      let fault: unknown;
      const request = (isSecure ? httpsRequest : httpRequest)({
        ...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port },
        // As the program wrote it: a URL resolves and escapes parts of a path.
        path: address.slice(origin.length),
        ...{ agent: isSecure ? agents.https : agents.http, method, maxHeaderSize: MAX_HEAD_BYTES },
        headers: { ...stated, ...framing },
        ...(signal != null && { signal }),
      });
      request.once('response', (answer) => {
        try {
          resolve(
            responseOf(answer, method === 'HEAD', () => fault ?? (signal?.aborted === true ? aborted() : undefined)),
          );
        } catch {
          answer.destroy();
          reject(unusable(answer));
        }
      });
      request.once('upgrade', (answer, socket) => {
        socket.destroy();
        reject(unusable(answer));
      });
      // Also after the answer has begun.
      request.on('error', (error) => {
        fault = error;
        reject(error);
      });
      if (body instanceof ReadableStream) {
        // The request has the error of either.
        pipeline(Readable.from(body), request, () => undefined);
      } else request.end(body instanceof Uint8Array ? body : undefined);
    });

  return {
    fetch: async (input, init = {}) => {
      if (typeof input !== 'string') throw new TypeError('the address must be text');
      return send(input, init);
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The error of an answer that cannot be passed on. */
function unusable({ statusCode = 0 }: IncomingMessage): Error {
  return Object.assign(new Error('an answer that cannot be passed on'), { code: `HTTP ${statusCode}` });
}

function aborted(): Error {
  return new DOMException('the program ended the call', 'AbortError');
}

/** By its name. Some providers compress without being asked, and the observer reads text. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * @param fault an error that the answer itself does not state
 * @throws Error for an answer that no response can be
 */
function responseOf(answer: IncomingMessage, isHead: boolean, fault: () => unknown): Response {
  const { statusCode: status = 0, statusMessage = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const head = { status, statusText: /^[\t\x20-\x7e\x80-\xff]*$/.test(statusMessage) ? statusMessage : '', headers };
  if (isHead || BODILESS.has(status)) {
    answer.resume();
    return new Response(null, head);
  }
  const unpacker = UNPACKERS.get(headers.get('content-encoding')?.toLowerCase() ?? '');
  if (unpacker === undefined || headers.get('content-length') === '0') {
    return new Response(bodyStream(answer, { fault }), head);
  }
  headers.delete('content-encoding');
  headers.delete('content-length');
  // The unpacked stream has the error of either.
  return new Response(
    bodyStream(
      pipeline(answer, unpacker(), () => undefined),
      { fault },
    ),
    head,
  );
}
