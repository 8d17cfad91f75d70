import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
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

/** Answers bytes that are not a request, and closes the connection. */
export function answerProtocolError(error: NodeJS.ErrnoException, socket: Duplex, answering: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || answering) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerOf(FAULTS.get(error.code) ?? NOT_HTTP);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  socket.end(head + body, () => socket.destroy());
}

/**
 * Answers a request whose head violates HTTP; Node's own answer would have no body.
 * @param fault names the field and the rule
 */
export function answerForbiddenHead(response: ServerResponse, fault: string): void {
  const { status, headers, body } = answerOf({ code: 'VALIDATION_ERROR', details: [fault] });
  response.writeHead(status, headers).end(body);
}

function answerOf(refusal: Refusal<HttpCode>): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
} {
  const requestId = newRequestId();
  const body = JSON.stringify(errorBody(refusal, requestId));
  return {
    status: HTTP_STATUS[refusal.code],
    headers: {
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
      connection: 'close',
    },
    body,
  };
}
