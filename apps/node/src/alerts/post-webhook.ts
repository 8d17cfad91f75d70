import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Webhook } from 'standardwebhooks';
import type { AlertEndpoint } from './endpoints.js';
import { permittedAddress, type Resolve, type ResolvedAddress } from './public-address.js';

/** Maximum time for one request, in ms: resolution, connection, answer. */
const TIMEOUT_MS = 10_000;
/** Maximum bytes read of an answer; they are discarded. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** One message as every attempt sends it. */
export interface WebhookMessage {
  readonly deliveryId: string;
  readonly payload: string;
}

/** An HTTP status, or why there is none. */
export type PostResult =
  | { readonly status: number }
  | { readonly failure: 'ADDRESS_REFUSED' | 'INSECURE_URL' | 'NAME_UNRESOLVED' | 'TIMEOUT' | 'UNREACHABLE' };

export type PostWebhook = (endpoint: AlertEndpoint, message: WebhookMessage) => Promise<PostResult>;

export interface PostOptions {
  /** Whether private addresses and plain http may be called. */
  readonly allowsPrivate: boolean;
  readonly resolve: Resolve;
  readonly now: () => Date;
  readonly timeoutMs?: number;
}

/**
 * Posts messages in the form of Standard Webhooks, signed with each secret of the endpoint. It connects only to the
 * address that was checked, follows no redirect, and reads a bounded answer.
 * @see https://www.standardwebhooks.com
 */
export function createPostWebhook(options: PostOptions): PostWebhook {
  const { allowsPrivate, resolve, now, timeoutMs = TIMEOUT_MS } = options;
  return async (endpoint, message) => {
    const url = new URL(endpoint.url);
    if (url.protocol !== 'https:' && !allowsPrivate) return { failure: 'INSECURE_URL' };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const address = await within(signal, permittedAddress(url.hostname, allowsPrivate, resolve));
      if (address === null) return { failure: 'ADDRESS_REFUSED' };
      return { status: await post(url, address, headersOf(endpoint, message, now()), message.payload, signal) };
    } catch (error) {
      if (signal.aborted) return { failure: 'TIMEOUT' };
      return { failure: isNameError(error) ? 'NAME_UNRESOLVED' : 'UNREACHABLE' };
    }
  };
}

function headersOf(
  { secrets }: AlertEndpoint,
  { deliveryId, payload }: WebhookMessage,
  at: Date,
): Readonly<Record<string, string | number>> {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(deliveryId, at, payload)).join(' '),
  };
}

/** @returns the status, as soon as the answer ends or is longer than it may be */
function post(
  url: URL,
  { address, family }: ResolvedAddress,
  headers: Readonly<Record<string, string | number>>,
  payload: string,
  signal: AbortSignal,
): Promise<number> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers,
        signal,
        agent: false,
        // The name stays in Host and in the TLS handshake; the address is the checked one.
        lookup: (_hostname, wanted, found) => {
          if (wanted.all === true) found(null, [{ address, family }]);
          else found(null, address, family);
        },
      },
      (answer) => {
        drain(
          answer,
          () => {
            resolve(answer.statusCode ?? 0);
          },
          reject,
        );
      },
    );
    // Without a listener the connection closes with no error, and the request would never end.
    sent.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

function drain(answer: IncomingMessage, done: () => void, failed: (error: Error) => void): void {
  let bytes = 0;
  answer.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MAX_ANSWER_BYTES) return;
    done();
    answer.destroy();
  });
  answer.on('end', done);
  answer.on('error', failed);
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(new Error('the time is over'));
    };
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

function isNameError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo';
}
