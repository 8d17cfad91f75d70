import { bearerKey, optionalBearerKey, ServiceError, unauthorized, type RequestHead } from '@cer/http-service';
import { hashApiKey, isApiKey, type Scope } from './api-key.js';
import type { Caller, KeyDirectory } from './key-directory.js';

/** Authentication for routes: `admit` runs on the head alone and takes a key with one of the scopes, `callerOf` tells the handler who was admitted. */
export interface Gate {
  readonly admit: (...anyOf: readonly Scope[]) => (head: RequestHead) => Promise<void>;
  readonly callerOf: (head: RequestHead) => Caller;
  /** The caller of a route that needs no key; null without one. A key that is given must be good. */
  readonly optionalCaller: (head: RequestHead) => Promise<Caller | null>;
}

/** @see docs/spec.md, "API keys" */
export function createGate(directory: KeyDirectory): Gate {
  const callers = new WeakMap<RequestHead, Caller>();

  const authenticate = async (key: string): Promise<Caller> => {
    // A malformed key is refused without a look-up.
    if (!isApiKey(key)) throw unauthorized();
    let caller: Caller | null;
    try {
      caller = await directory.find(hashApiKey(key));
    } catch (cause) {
      throw new ServiceError(
        {
          code: 'SERVICE_UNAVAILABLE',
          message: 'API keys cannot be checked now: retry later',
          headers: { 'retry-after': '1' },
        },
        { cause },
      );
    }
    if (caller === null) throw unauthorized();
    return caller;
  };

  return {
    admit:
      (...anyOf) =>
      async (head) => {
        const caller = await authenticate(bearerKey(head));
        if (!anyOf.some((scope) => caller.scopes.has(scope))) {
          throw new ServiceError({ code: 'FORBIDDEN', message: `the key lacks the scope ${anyOf.join(' or ')}` });
        }
        callers.set(head, caller);
      },
    callerOf: (head) => {
      const caller = callers.get(head);
      if (caller === undefined) throw new Error('the route admits nobody');
      return caller;
    },
    optionalCaller: async (head) => {
      if (head.headers['authorization'] === undefined) return null;
      const key = optionalBearerKey(head);
      if (key === undefined) throw unauthorized();
      return authenticate(key);
    },
  };
}
