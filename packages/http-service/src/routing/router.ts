import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createErrorShaper } from '../answers/error-shaper.js';
import { ServiceError } from '../errors/service-error.js';
import { BodyBudget } from '../limits/body-budget.js';
import { ResponseBudget } from '../limits/response-budget.js';
import type { RouterParts } from './dispatch.js';
import { answerExchange } from './exchange.js';
import { splitTarget } from './request-head.js';
import type { Route } from './route.js';
import { createRouteTable, endpointOf } from './route-table.js';
import type { NotFound, RouterOptions } from './router-options.js';

/** A listener of `node:http` and, unchanged, an Express middleware; it answers every request. */
export type Router = (request: IncomingMessage, response: ServerResponse) => void;

const NOT_FOUND: NotFound = {
  handler: async () => {
    throw new ServiceError({ code: 'NOT_FOUND' });
  },
};

/**
 * Makes the router of a service. It refuses in a fixed order: 404, 405, refusals of `admit`, 415, 413, then those of
 * the handler.
 * @throws Error when two routes have the same method and path, or a path does not begin with `/`
 * @see docs/spec.md, "Refusal order"
 */
export function createRouter(routes: readonly Route[], options: RouterOptions): Router {
  const match = createRouteTable(routes);
  const parts = createParts(options);
  return (request, response) => {
    const target = splitTarget(request.url);
    const found = match(target.path);
    const endpoint = found === undefined ? parts.unknown : found.resource.endpoints.get(request.method ?? '');
    void answerExchange({ request, response, target, found, endpoint }, parts);
  };
}

/**
 * Answers `routes` on plain `node:http`, before an application that answers and records every other path: a request
 * costs about half as much as behind Express.
 * @param application e.g. an Express app whose last middleware is a router
 * @throws Error when two routes have the same method and path, or a path does not begin with `/`
 */
export function hotRoutes(
  routes: readonly Route[],
  application: RequestListener,
  options: Omit<RouterOptions, 'notFound'>,
): RequestListener {
  const match = createRouteTable(routes);
  const parts = createParts(options);
  return (request, response) => {
    const target = splitTarget(request.url);
    const found = match(target.path);
    if (found === undefined) {
      application(request, response);
      return;
    }
    const endpoint = found.resource.endpoints.get(request.method ?? '');
    void answerExchange({ request, response, target, found, endpoint }, parts);
  };
}

function createParts(options: RouterOptions): RouterParts {
  return {
    options,
    shapeError: createErrorShaper(options),
    unknown: endpointOf({ ...(options.notFound ?? NOT_FOUND), method: 'GET', path: '/' }),
    bodyBudget: new BodyBudget(options.bodiesAtOnceBytes),
    responseBudget: new ResponseBudget(options.answersAtOnceBytes),
  };
}
