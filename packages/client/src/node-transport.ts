import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { timeoutError, type Transport, type TransportAnswer, type TransportRequest } from './node-api/transport.js';

export type { AnswerHeaders, Transport, TransportAnswer, TransportRequest } from './node-api/transport.js';

const MAX_CONNECTIONS = 64;

/** Connections to a node that stay open from request to request. */
export interface NodeTransport extends Transport {
  close(): void;
}

/**
 * Sends requests with `node:http`, for services that forward what others send.
 *
 * - The timeout is silence of the connection, in either direction: a long answer may be slow and healthy. A reader that
 *   stops for as long counts as silence too.
 * - A request is sent again, once, when a connection that was kept open from an earlier request closed before anything
 *   was answered: the node closed it as the request was on its way, and received nothing of it.
 * - Answers are not asked for in a compressed form, and their bodies keep back-pressure.
 * @param options maxConnections: at once, 64 when absent
 */
export function nodeTransport({ maxConnections = MAX_CONNECTIONS }: { maxConnections?: number } = {}): NodeTransport {
  const options = { keepAlive: true, maxSockets: maxConnections, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  const once = ({ method, url, headers, body, timeoutMs, signal }: TransportRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const isSecure = url.startsWith('https:');
      const begin = isSecure ? httpsRequest : httpRequest;
      const request = begin(url, {
        agent: isSecure ? agents.https : agents.http,
        method,
        timeout: timeoutMs,
        headers: { ...headers, ...(body !== null && { 'content-length': Buffer.byteLength(body) }) },
        ...(signal !== undefined && { signal }),
      });
      let answer: IncomingMessage | null = null;
      request.once('response', (response) => {
        answer = response;
        resolve(response);
      });
      // Without a listener the connection closes with no error, and the request would never end.
      request.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('the node changed the protocol'));
      });
      request.once('timeout', () => (answer ?? request).destroy(timeoutError('the node fell silent')));
      request.once('error', (error: NodeJS.ErrnoException) => {
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error);
      });
      request.end(body ?? undefined);
    });

  return {
    exchange: async (request, read) => {
      const answer = await once(request).catch((error: unknown) => {
        if (error instanceof StaleConnection) return once(request);
        throw error;
      });
      return read(answerOf(answer));
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

function answerOf(answer: IncomingMessage): TransportAnswer {
  return {
    status: answer.statusCode ?? 0,
    headers: {
      get: (name) => {
        const value = answer.headers[name];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    body: answer,
    discard: () => {
      answer.destroy();
    },
  };
}
