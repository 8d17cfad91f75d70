import type { Contexts } from '../calls/call-context.js';
import { observeFetch, type Observer } from './observed-fetch.js';

/** A middleware of Anthropic's SDK. A request is what is given to `fetch`, and its address. */
export type FetchMiddleware = <R extends { readonly url: string }>(
  request: R,
  next: (request: R) => Promise<Response>,
) => Promise<Response>;

/** Observes the request as the SDK states it, also where `next` rewrites it for another cloud. */
export function observeMiddleware(observer: Observer, contexts: Contexts): FetchMiddleware {
  return (request, next) =>
    observeFetch(() => next(request), observer, contexts)(request.url, request as RequestInit & typeof request);
}
