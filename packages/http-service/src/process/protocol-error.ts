import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PresentError } from '../answers/error-shaper.js';
import { newRequestId } from '../handler/request-id.js';
import { SECURITY_HEADERS } from '../answers/response-headers.js';
import { errorBody, HTTP_STATUS, type HttpCode, type Refusal } from '../errors/service-error.js';

/** Maximum size of a request head, in bytes. */
export const MAX_HEADER_BYTES = 16 * 1024;

const NOT_HTTP: Refusal<HttpCode> = { code: 'VALIDATION_ERROR', details: ['request: must be valid HTTP/1.1'] };

// A Map, since the codes come from the parser.
const FAULTS: ReadonlyMap<string | undefined, Refusal<HttpCode>> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    { code: 'HEADERS_TOO_LARGE', message: `headers: must have at most ${MAX_HEADER_BYTES} bytes` },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { code: 'REQUEST_TIMEOUT', message: 'request: must be sent faster' }],
]);

/** Answers of the connection itself, before any router. */
export interface ProtocolErrors {
  /** Answers bytes that are not a request, and closes the connection. */
  answerProtocolError(error: NodeJS.ErrnoException, socket: Duplex, answering: boolean): void;
  /** Answers CONNECT, which no path takes, and closes the connection. */
  refuseTunnel(socket: Duplex, answering: boolean): void;
  /**
   * Answers a request whose head violates HTTP; Node's own answer would have no body.
   * @param fault names the field and the rule
   */
  answerForbiddenHead(response: ServerResponse, fault: string): void;
}

/** @param present makes the bodies, as those of the router */
export function protocolErrors(present: PresentError = errorBody): ProtocolErrors {
  const answerOf = (refusal: Refusal<HttpCode>) => {
    const requestId = newRequestId();
    const body = JSON.stringify(present(refusal, requestId));
    return {
      status: HTTP_STATUS[refusal.code],
      headers: {
        ...SECURITY_HEADERS,
        ...refusal.headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'x-request-id': requestId,
        connection: 'close',
      },
      body,
    };
  };
  const close = (socket: Duplex, refusal: Refusal<HttpCode>): void => {
    const { status, headers, body } = answerOf(refusal);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
    socket.end(head + body, () => socket.destroy());
  };

  return {
    answerProtocolError(error, socket, answering) {
      if (error.code === 'ECONNRESET' || !socket.writable || answering) socket.destroy();
      else close(socket, FAULTS.get(error.code) ?? NOT_HTTP);
    },
    refuseTunnel(socket, answering) {
      if (answering) socket.destroy();
      else close(socket, { code: 'METHOD_NOT_ALLOWED', headers: { allow: '' } });
    },
    answerForbiddenHead(response, fault) {
      const { status, headers, body } = answerOf({ code: 'VALIDATION_ERROR', details: [fault] });
      response.writeHead(status, headers).end(body);
    },
  };
}
