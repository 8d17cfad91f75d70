import { isRequest, modelCallOf, withRequestBody, type ModelCall } from './model-call.js';
import { addObserver, isObserved, makeObserved } from './observed-calls.js';
import { isReadable, pullThrough, type Follower, type ReadBody } from './pull-through.js';

export type Fetch = typeof globalThis.fetch;

/** The observer of one call. None of its methods throws. */
export interface Watch {
  /**
   * @param response null when no answer came
   * @returns null for an answer that is left alone
   */
  follow(response: Response | null): Follower | null;
  /** The body for the caller of the answer. */
  body(): ReadBody;
  /** The answer that the caller gets, of which the body is followed. */
  answered(response: Response): void;
  /** The answer cannot be followed. */
  miss(): void;
}

/** The observer of all calls. None of its methods throws, except `admit`. */
export interface Observer {
  /** @throws Error to refuse the call before it is made */
  admit(call: ModelCall): void;
  /** @returns the observer of the call; null to leave it alone */
  begin(call: ModelCall): Watch | null;
  /** Resolves in a later turn of the event loop. */
  readonly turn: () => Promise<void>;
  failed(error: unknown): void;
}

/**
 * A fetch that observes calls of models and changes nothing: the same bytes, errors, back-pressure and identity of the
 * provider's answer. Within the call of an observed fetch, further ones only pass through.
 * @param own the observing fetches of the client, each of which is returned as it is
 */
export function observeFetch(base: Fetch, observer: Observer, own: WeakSet<Fetch>): Fetch {
  if (own.has(base)) return base;
  const fetch: Fetch = (input, init) => observeCall(base, base, observer, input, init);
  own.add(fetch);
  addObserver();
  return fetch;
}

/** One call. @param base see `makeObserved` */
export async function observeCall(
  make: Fetch,
  base: Fetch | null,
  observer: Observer,
  ...[input, init]: Parameters<Fetch>
): Promise<Response> {
  const recognised = isObserved() ? null : quietly(observer, () => modelCallOf(input, init));
  if (recognised === null) return make(input, init);
  const call = isRequest(input) && init?.body === undefined ? await readCall(recognised, input, observer) : recognised;
  if (call === null) return make(input, init);
  observer.admit(call);
  const watch = quietly(observer, () => observer.begin(call));
  let response;
  try {
    response = await makeObserved(base, () => make(input, init));
  } catch (error) {
    quietly(observer, () => watch?.follow(null)?.break(error));
    throw error;
  }
  if (watch === null) return response;
  const follow = (): Response | null => {
    if (!isReadable(response)) return null;
    const follower = watch.follow(response);
    if (follower === null) return response;
    const made = pullThrough(response, follower, () => watch.body());
    watch.answered(made);
    return made;
  };
  const followed = quietly(observer, follow);
  if (followed === null) watch.miss();
  return followed ?? response;
}

async function readCall(call: ModelCall, request: Request, observer: Observer): Promise<ModelCall | null> {
  try {
    return await withRequestBody(call, request, observer.turn);
  } catch (error) {
    observer.failed(error);
    return call;
  }
}

function quietly<T>(observer: Observer, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    observer.failed(error);
    return null;
  }
}
