import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { PresentError } from '../answers/error-shaper.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Logger } from '../telemetry/logger.js';
import { trackConnections } from './connections.js';
import { MAX_HEADER_BYTES, protocolErrors } from './protocol-error.js';

/** Default maximum time of closing, in ms. Supervisors wait longer: ended earlier, a service loses what `onClose` sends. */
export const DRAIN_TIMEOUT_MS = 660_000;

export interface ServeOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly logger: Logger;
  /** Runs when every accepted request is answered: close stores and browsers here. */
  readonly onClose?: () => Promise<void> | void;
  /** The body of a refusal, as the router's; `errorBody` otherwise. */
  readonly presentError?: PresentError;
  /** Maximum time, in ms, to receive a request's headers. */
  readonly headersTimeoutMs?: number;
  /** Maximum time, in ms, to receive a whole request. */
  readonly requestTimeoutMs?: number;
  /** Maximum time of closing, in ms; unanswered requests then lose their connection. */
  readonly drainTimeoutMs?: number;
}

export interface RunningServer {
  readonly url: string;
  /** Stops accepting, finishes accepted requests within the time limit, then runs `onClose`. */
  close(): Promise<void>;
}

/** The address cannot be listened on; the message is for the operator. */
export class ListenError extends OperatorError {
  override readonly name = 'ListenError';
}

/**
 * Listens. Slow senders are cut off by the header and request timeouts.
 * @param listener an Express app, or a router of this package
 * @throws ListenError saying why the address cannot be used
 */
export async function serve(listener: RequestListener, options: ServeOptions): Promise<RunningServer> {
  const { host, port, logger } = options;
  const headersTimeout = options.headersTimeoutMs ?? 10_000;
  const requestTimeout = options.requestTimeoutMs ?? 300_000;
  const drainTimeout = options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS;
  const server = createServer({
    headersTimeout,
    requestTimeout,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Checked by the router, so that a missing host is answered like any other fault.
    requireHostHeader: false,
    // Longer than that of load balancers.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: Math.min(headersTimeout, 2000),
  });
  // The size limits the head. Beyond this number Node drops fields without an error, a second Host included.
  server.maxHeadersCount = 0;
  const connections = trackConnections(server, listener, protocolErrors(options.presentError));
  await listen(server, host, port);
  const url = urlOf(server, host);
  logger.info({ url }, 'listening');

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    logger.info('closing');
    const cut = await connections.drain({ headersTimeout, requestTimeout, drainTimeout });
    if (cut > 0) logger.warn({ connections: cut }, 'closed before every request was answered');
    await options.onClose?.();
    logger.info('closed');
  };
  return { url, close: () => (closing ??= close()) };
}

/**
 * Checks an address before a start that takes long or must not run twice.
 * @throws ListenError saying why the address cannot be used
 */
export async function refuseTakenAddress({ host, port }: Pick<ServeOptions, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  await listen(server, host, port);
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new ListenError(listenFault(error.code, host, port), { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

function listenFault(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `PORT ${port} is in use on ${host}: stop what listens there or set PORT`;
  if (code === 'EACCES') return `PORT ${port} may not be used by this user: set PORT to 1024 or more`;
  return `HOST ${host} with PORT ${port} cannot be listened on (${code ?? 'unknown reason'})`;
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
