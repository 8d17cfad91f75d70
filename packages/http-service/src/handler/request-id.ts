import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A fresh id for every request; an id that the client sends proves nothing. */
export function newRequestId(): string {
  return randomUUID();
}

/** The client's own id, for the log only, if it is harmless text. */
export function clientRequestId({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(id) ? id : undefined;
}
