import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { unavailable } from '../errors.js';

/** Maximum silence of the node, in milliseconds; after it the node counts as gone. */
const SILENCE_MS = 30_000;
const MAX_CONNECTIONS = 64;
/** Maximum bytes of an answer that is read whole; streamed answers are bounded by the line. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface NodeRequest {
  readonly path: string;
  /** The customer's own credential; none for public routes. */
  readonly key?: string;
  readonly mediaType?: string;
  readonly body?: Uint8Array;
  /** Maximum silence of the node in milliseconds; 30 seconds by default. */
  readonly silenceMs?: number;
  /** Ends the exchange when the client of the bridge is gone. */
  readonly signal?: AbortSignal | undefined;
}

export interface NodeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Connections to the attestation node that stay open from request to request. */
export interface NodeConnection {
  /** @throws ServiceError SERVICE_UNAVAILABLE when the node cannot be reached, or falls silent before its answer begins */
  send(request: NodeRequest): Promise<NodeAnswer>;
  close(): void;
}

/** @param nodeUrl `http://...` or `https://...`, without a trailing slash */
export function connectToNode(nodeUrl: string): NodeConnection {
  const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS, scheduling: 'lifo' } as const;
  const isSecure = nodeUrl.startsWith('https:');
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const begin = isSecure ? httpsRequest : httpRequest;

  const once = ({
    path,
    key,
    mediaType,
    body,
    signal,
    silenceMs = SILENCE_MS,
  }: NodeRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const head: RequestOptions = {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        timeout: silenceMs,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(mediaType !== undefined && { 'content-type': mediaType }),
          ...(body !== undefined && { 'content-length': body.length }),
        },
        ...(signal !== undefined && { signal }),
      };
      const request = begin(`${nodeUrl}${path}`, head, resolve);
      request.once('timeout', () => request.destroy(new Error('the node fell silent')));
      request.once('error', (error: NodeJS.ErrnoException) => {
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error);
      });
      request.end(body);
    });

  return {
    send: async (request) => {
      try {
        // The node closed an idle connection at the same moment: it received nothing of the request.
        const answer = await once(request).catch((error: unknown) => {
          if (error instanceof StaleConnection) return once(request);
          throw error;
        });
        return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
      } catch (cause) {
        throw nodeUnavailable(cause);
      }
    },
    close: () => {
      agent.destroy();
    },
  };
}

class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

export function nodeUnavailable(cause?: unknown): Error {
  return unavailable('The attestation node cannot be reached now: retry', cause);
}

/**
 * The whole answer as text.
 * @throws ServiceError SERVICE_UNAVAILABLE when it breaks off or does not end
 */
export async function answerText({ body }: NodeAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new Error('the answer does not end');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw nodeUnavailable(cause);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
