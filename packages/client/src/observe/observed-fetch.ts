import type { Contexts } from '../calls/call-context.js';
import { modelCallOf, type ModelCall } from './model-call.js';
import { pullThrough, type Follower } from './pull-through.js';

export type Fetch = typeof globalThis.fetch;

/** The observer of one call. None of its methods throws. */
export interface Watch {
  /** @param response null when no answer came */
  follow(response: Response | null): Follower;
  /** The answer cannot be followed. */
  miss(): void;
}

/** The observer of all calls. None of its methods throws, except `admit`. */
export interface Observer {
  /** @throws Error to refuse the call before it is made */
  admit(call: ModelCall): void;
  /** @returns the observer of the call; null to leave it alone */
  begin(call: ModelCall): Watch | null;
  failed(error: unknown): void;
}

const observed = new WeakSet<Fetch>();

/**
 * A fetch that observes calls of models and changes nothing: the same bytes, errors, back-pressure and identity of the
 * provider's answer. Within the call of an observed fetch, further ones only pass through.
 */
export function observeFetch(base: Fetch, observer: Observer, contexts: Contexts): Fetch {
  if (observed.has(base)) return base;

  const fetch: Fetch = async (input, init) => {
    const call = contexts.current().isObserved ? null : quietly(observer, () => modelCallOf(input, init));
    if (call === null) return base(input, init);
    observer.admit(call);
    const watch = quietly(observer, () => observer.begin(call));
    let response;
    try {
      response = await contexts.within({ isObserved: true }, () => base(input, init));
    } catch (error) {
      quietly(observer, () => watch?.follow(null).break(error));
      throw error;
    }
    return watch === null ? response : (quietly(observer, () => wrapped(watch, response)) ?? response);
  };
  observed.add(fetch);
  return fetch;
}

function wrapped(watch: Watch, response: Response): Response {
  if (response instanceof Response && !response.bodyUsed) return pullThrough(response, watch.follow(response));
  watch.miss();
  return response;
}

function quietly<T>(observer: Observer, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    observer.failed(error);
    return null;
  }
}
