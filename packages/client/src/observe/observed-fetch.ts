import type { CallScope } from '../platform/platform.js';
import { modelCallOf, type ModelCall } from './model-call.js';
import { pullThrough, type Follower } from './pull-through.js';

export type Fetch = typeof globalThis.fetch;

/** What watches the calls. None of its methods throws, except `admit`. */
export interface Observer {
  /** @throws Error to refuse the call before it is made */
  admit(call: ModelCall): void;
  /** @returns what follows the answer; null to leave the call alone */
  follow(call: ModelCall, response: Response | null): Follower | null;
  /** A call that was seen and cannot be followed. */
  passOver(): void;
  failed(error: unknown): void;
}

const observed = new WeakSet<Fetch>();

/**
 * A fetch that observes calls of models and changes nothing: the same bytes, errors, back-pressure and identity of the
 * provider's answer. Within the call of an observed fetch, further ones only pass through.
 */
export function observeFetch(base: Fetch, observer: Observer, scope: CallScope): Fetch {
  if (observed.has(base)) return base;

  const follow = (call: ModelCall, response: Response | null): Follower | null => {
    try {
      return observer.follow(call, response);
    } catch (error) {
      observer.failed(error);
      return null;
    }
  };

  const wrap = (call: ModelCall, response: Response): Response => {
    if (!(response instanceof Response) || response.bodyUsed) {
      observer.passOver();
      return response;
    }
    const follower = follow(call, response);
    return follower === null ? response : pullThrough(response, follower);
  };

  const fetch: Fetch = async (input, init) => {
    const call = scope.isInside() ? null : recognised(input, init, observer);
    if (call === null) return base(input, init);
    observer.admit(call);
    let response;
    try {
      response = await scope.inside(() => base(input, init));
    } catch (error) {
      follow(call, null)?.break(error);
      throw error;
    }
    return wrap(call, response);
  };
  observed.add(fetch);
  return fetch;
}

function recognised(input: Parameters<Fetch>[0], init: RequestInit | undefined, observer: Observer): ModelCall | null {
  try {
    return modelCallOf(input, init);
  } catch (error) {
    observer.failed(error);
    return null;
  }
}
