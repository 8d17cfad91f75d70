import { addObserver } from './observed-calls.js';
import { observeCall, type Observer } from './observed-fetch.js';

/** A middleware of Anthropic's SDK. A request is what is given to `fetch`, and its address. */
export type FetchMiddleware = <R extends { readonly url: string }>(
  request: R,
  next: (request: R) => Promise<Response>,
) => Promise<Response>;

/** Observes the request as the SDK states it, also where `next` rewrites it for another cloud. */
export function observeMiddleware(observer: Observer): FetchMiddleware {
  addObserver();
  return (request, next) =>
    observeCall(() => next(request), null, observer, request.url, request as RequestInit & typeof request);
}
