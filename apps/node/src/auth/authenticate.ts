import { hashApiKey, isApiKey, type Scope } from '@cer/control-plane';
import {
  bearerKey,
  ServiceError,
  unauthorized,
  unavailable,
  type RequestHead,
  type ResponseHeaders,
} from '@cer/http-service';
import type { RateLimits } from './rate-limits.js';
import type { Caller, KeyDirectory } from './key-directory.js';

/**
 * Authentication and rate limits of routes. Admission runs on the request head alone and returns the rate limit
 * headers; `callerOf` returns the admitted caller to the handler.
 */
export interface Gate {
  /** Requires a key with one of the scopes. */
  readonly admit: (...anyOf: readonly Scope[]) => (head: RequestHead) => Promise<ResponseHeaders | undefined>;
  /** For routes without a key. */
  readonly admitPublic: (head: RequestHead) => Promise<ResponseHeaders | undefined>;
  readonly callerOf: (head: RequestHead) => Caller;
  /** The caller of a route with an optional key; null without one. A key that is sent must be valid. */
  readonly optionalCaller: (head: RequestHead) => Promise<Caller | null>;
}

const NOT_OF_THIS_FORM = 'the key does not have the form of an API key: cer_live_ and 43 letters, digits, - or _';
// One message for both, so that a caller cannot find out which keys existed.
const UNKNOWN_OR_REVOKED = 'the API key is unknown or revoked';

/** @see docs/spec.md, "API keys" and "Rate limits and quotas" */
export function createGate(directory: KeyDirectory, rates: RateLimits): Gate {
  const callers = new WeakMap<RequestHead, Caller>();

  const authenticate = async (key: string): Promise<Caller> => {
    // A malformed key is rejected without a lookup.
    if (!isApiKey(key)) throw unauthorized(NOT_OF_THIS_FORM);
    let caller: Caller | null;
    try {
      caller = await directory.find(hashApiKey(key));
    } catch (cause) {
      throw unavailable('API keys cannot be checked now: retry later', cause);
    }
    if (caller === null) throw unauthorized(UNKNOWN_OR_REVOKED);
    return caller;
  };

  /**
   * A client with an invalid key counts as one without a key; a valid key is not limited by other clients of its
   * address.
   */
  const identify = async (head: RequestHead): Promise<Caller> => {
    try {
      return await authenticate(bearerKey(head));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'UNAUTHORIZED') throw error;
      const remainder = await rates.countAddress(head.remoteAddress);
      if (remainder === undefined) throw error;
      throw new ServiceError({ ...error.refusal, headers: { ...error.refusal.headers, ...remainder } });
    }
  };

  return {
    admit:
      (...anyOf) =>
      async (head) => {
        const caller = await identify(head);
        if (!anyOf.some((scope) => caller.scopes.has(scope))) {
          throw new ServiceError({ code: 'FORBIDDEN', message: `the key lacks the scope ${anyOf.join(' or ')}` });
        }
        callers.set(head, caller);
        return rates.countCaller(caller);
      },
    admitPublic: (head) => rates.countAddress(head.remoteAddress),
    callerOf: (head) => {
      const caller = callers.get(head);
      if (caller === undefined) throw new Error('the route admits no caller');
      return caller;
    },
    optionalCaller: async (head) => {
      if (head.headers['authorization'] === undefined) return null;
      return authenticate(bearerKey(head));
    },
  };
}
