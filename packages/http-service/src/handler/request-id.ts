import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** A fresh id, for a request whose head cannot be read. */
export function newRequestId(): string {
  return randomUUID();
}

/**
 * The id of a request in its answer and in the log: the client's own `X-Request-Id` when it is well formed (1 to 64
 * letters, digits, `.`, `_` or `-`), otherwise a fresh one. A client may repeat its id: it is a label, not an identity.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && WELL_FORMED.test(id) ? id : newRequestId();
}
