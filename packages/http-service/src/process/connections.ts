import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headFault } from './head-fault.js';
import type { ProtocolErrors } from './protocol-error.js';

/** Idle connections stay open for this long, in ms, when closing starts: a request may be on its way on one of them. */
const LINGER_MS = 100;

/** In milliseconds from the start of closing. */
export interface DrainTimes {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** Time at which remaining connections are closed. */
  readonly drainTimeout: number;
}

export interface Connections {
  /**
   * Stops accepting and resolves when every accepted request is answered and every connection closed. Each connection
   * ends with the answer to its next request, or idle.
   * @returns number of connections closed because the time was up
   */
  drain(times: DrainTimes): Promise<number>;
}

/** Wires a server to its listener and tracks open connections, so that closing loses no accepted request. */
export function trackConnections(server: Server, listener: RequestListener, errors: ProtocolErrors): Connections {
  const sockets = new Set<Socket>();
  const inFlight = new Set<ServerResponse>();
  const answersOn = (socket: Duplex): readonly ServerResponse[] =>
    [...inFlight].filter(({ req }) => req.socket === socket);
  /** Their last answer ends the connection: requests behind it are not handled. */
  const refused = new WeakSet<Socket>();
  let closing = false;
  let lingered = false;

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const accept: RequestListener = (request, response) => {
    if (refused.has(request.socket)) return;
    inFlight.add(response);
    if (closing) response.shouldKeepAlive = false;
    response.once('close', () => {
      inFlight.delete(response);
      if (lingered) server.closeIdleConnections();
    });
    const fault = headFault(request);
    if (fault === null) {
      listener(request, response);
      return;
    }
    refused.add(request.socket);
    errors.answerForbiddenHead(response, fault);
  };
  server.on('request', accept);
  // The router sends "100 Continue" itself, and only for a body that it accepts.
  server.on('checkContinue', accept);
  server.on('checkExpectation', (request, response) => {
    refused.add(request.socket);
    errors.answerForbiddenHead(response, 'expect: must be 100-continue');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answering = answersOn(socket).some(({ headersSent }) => headersSent);
    errors.answerProtocolError(error, socket, answering);
  });
  server.on('connect', (_request, socket: Duplex) => {
    // Node listens no longer, and an error without a listener ends the process.
    socket.on('error', () => socket.destroy());
    errors.refuseTunnel(socket, answersOn(socket).length > 0);
  });

  const busySockets = (): Map<Socket, ServerResponse> =>
    new Map([...inFlight].map((answer) => [answer.req.socket, answer]));

  const drain = async ({ headersTimeout, requestTimeout, drainTimeout }: DrainTimes): Promise<number> => {
    let cut = 0;
    closing = true;
    const closed = new Promise<void>((resolve) => {
      // As `server.close` without its first step, which closes the idle connections.
      NetServer.prototype.close.call(server, () => {
        resolve();
      });
    });
    // Of pipelined requests only the last one ends the connection.
    for (const response of busySockets().values()) response.shouldKeepAlive = false;
    const lingerDue = setTimeout(() => {
      // After what has arrived by now is read.
      setImmediate(() => {
        lingered = true;
        // The first step too.
        server.close();
        // Node counts a connection that never sent a byte as busy.
        destroyWhere(sockets, (socket) => socket.bytesRead === 0);
      });
    }, LINGER_MS);
    // Node enforces no timeouts while a server closes.
    const headersDue = setTimeout(() => {
      const busy = busySockets();
      destroyWhere(sockets, (socket) => !busy.has(socket));
    }, headersTimeout);
    const requestsDue = setTimeout(() => {
      const busy = busySockets();
      destroyWhere(sockets, (socket) => busy.get(socket)?.req.complete === false);
    }, requestTimeout);
    const drainDue = setTimeout(() => {
      cut = sockets.size;
      destroyWhere(sockets, () => true);
    }, drainTimeout);
    await closed;
    for (const due of [lingerDue, headersDue, requestsDue, drainDue]) clearTimeout(due);
    // Where every connection ended before: it has a timer, which would hold the server.
    server.close();
    return cut;
  };
  return { drain };
}

function destroyWhere(sockets: ReadonlySet<Socket>, unwanted: (socket: Socket) => boolean): void {
  for (const socket of sockets) if (unwanted(socket)) socket.destroy();
}
