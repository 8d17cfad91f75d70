import { ServiceError, type Refusal } from '@cer/http-service';
import { translateError } from '../errors/refusals.js';
import { StoreBusyError } from '../store/ports/store-error.js';

/** An error on its way to the other thread. */
export type RelayedError =
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly cause: RelayedError | null }
  | { readonly kind: 'busy' }
  /** Unknown to the node's error table: only its number goes out and comes back, with what a log may show. */
  | { readonly kind: 'sent'; readonly number: number; readonly name: string; readonly stack: string }
  | { readonly kind: 'returned'; readonly number: number };

/** An unknown error of the other thread. */
class ForeignError extends Error {
  readonly number: number;

  constructor({ number, name, stack }: Extract<RelayedError, { kind: 'sent' }>) {
    // Without its message, which may hold values of a client.
    super('an error of another thread');
    this.number = number;
    this.name = name;
    this.stack = stack;
  }
}

/** The errors of one job that go to the other thread and may come back, as the same object. */
export class ErrorRelay {
  readonly #sent: Error[] = [];

  /** Errors of core and store become refusals here, as the router would make of them. */
  send(error: unknown): RelayedError {
    if (error instanceof StoreBusyError) return { kind: 'busy' };
    if (error instanceof ForeignError) return { kind: 'returned', number: error.number };
    const refusal: ServiceError | null = error instanceof ServiceError ? error : null;
    if (refusal !== null) return this.#refused(refusal, this.send.bind(this));
    const refused: ServiceError | undefined = translateError(error);
    // Its cause is the error itself.
    if (refused !== undefined) return this.#refused(refused, this.#unknown.bind(this));
    return this.#unknown(error);
  }

  #refused({ refusal, cause }: ServiceError, sendCause: (cause: unknown) => RelayedError): RelayedError {
    return { kind: 'refused', refusal, cause: cause === undefined ? null : sendCause(cause) };
  }

  #unknown(error: unknown): RelayedError {
    const known = error instanceof Error ? error : new Error('not an error');
    return { kind: 'sent', number: this.#sent.push(known) - 1, name: known.name, stack: known.stack ?? '' };
  }

  receive(relayed: RelayedError): Error {
    switch (relayed.kind) {
      case 'busy':
        return new StoreBusyError();
      case 'refused': {
        const { refusal, cause } = relayed;
        return new ServiceError(refusal, cause === null ? undefined : { cause: this.receive(cause) });
      }
      case 'sent':
        return new ForeignError(relayed);
      case 'returned':
        return this.#sent[relayed.number] ?? new Error('an error that was never sent returned');
    }
  }
}
