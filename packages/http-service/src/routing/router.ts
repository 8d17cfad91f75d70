import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import type { TrustedProxies } from '../callers/client-address.js';
import { createErrorShaper, type ErrorShaper, type ErrorShaping } from '../answers/error-shaper.js';
import { noContent, type RequestHead, type ResponseHeaders, type ServiceResponse } from '../handler/handler.js';
import { Inbox } from '../limits/body-budget.js';
import { requestHead, splitTarget, type Target } from './request-head.js';
import { acceptsMediaType } from '../bodies/media-type.js';
import type { Metrics } from '../telemetry/metrics.js';
import { Outbox } from '../limits/response-budget.js';
import {
  announcesBody,
  ClientGone,
  inviteBody,
  NO_BODY,
  readBody,
  refuseAnnouncedLength,
  streamBody,
} from '../bodies/read-body.js';
import { clientRequestId, newRequestId } from '../handler/request-id.js';
import { SECURITY_HEADERS } from '../answers/response-headers.js';
import type { Route } from './route.js';
import { createRouteTable, type Endpoint, type RouteMatch } from './route-table.js';
import { sendResponse } from '../answers/send-response.js';
import { ServiceError } from '../errors/service-error.js';
import { untraced, type IncomingTrace, type Note, type Trace } from '../telemetry/trace.js';

export interface RouterOptions extends ErrorShaping {
  readonly metrics?: Metrics;
  /** Whose `X-Forwarded-For` is believed; nobody's when left out. */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** Hand unknown paths to `next` (e.g. static files behind) instead of refusing them with 404. */
  readonly passUnknownPaths?: boolean;
  /** Spans of requests; none when left out. */
  readonly trace?: Trace;
  /** How long a client may read nothing of an answer before it counts as gone. */
  readonly stallMs?: number;
  /** How many bytes of large answers may wait for their readers, all together; 256 MiB when left out. */
  readonly answersAtOnceBytes?: number;
  /** How many bytes of large bodies may be in hand, all together; 256 MiB when left out. Streamed ones do not count. */
  readonly bodiesAtOnceBytes?: number;
}

/** Serves requests: as an Express middleware, or on a bare `node:http` server where the last tenth of speed counts. */
export type Router = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
const UNMATCHED = '(unmatched)';
const CLIENT_GONE_STATUS = 499;

/**
 * Makes the router of a service. It refuses in one order everywhere: 404, 405, what `admit` refuses, 415, 413, and only
 * then what the handler finds.
 * @see docs/spec.md, "Refusal order"
 */
export function createRouter(routes: readonly Route[], options: RouterOptions): Router {
  const match = createRouteTable(routes);
  const shapeError = createErrorShaper(options);
  const outbox = new Outbox(options.answersAtOnceBytes);
  const inbox = new Inbox(options.bodiesAtOnceBytes);
  return (request, response, next) => {
    const target = splitTarget(request.url);
    const found = match(target.path);
    if (found === undefined && options.passUnknownPaths === true && next !== undefined) next();
    else void exchange({ request, response, target, found, options, shapeError, inbox, outbox });
  };
}

/**
 * Serves `routes` in front of an Express app, which gets every path that they do not name. A request for one of them
 * costs half of what it does behind Express.
 */
export function frontDoor(routes: readonly Route[], app: Express, options: RouterOptions): RequestListener {
  const router = createRouter(routes, { ...options, passUnknownPaths: true });
  return (request, response) => {
    router(request, response, () => {
      app(request, response);
    });
  };
}

/** Serves `routes` from an Express app, in one line. */
export function mount(app: Express, routes: readonly Route[], options: RouterOptions): void {
  app.disable('x-powered-by');
  app.use(createRouter(routes, options));
  if (options.passUnknownPaths !== true) app.use(expressErrorHandler(options));
}

/** Shapes what other Express middleware throws; it stands last. */
export function expressErrorHandler(options: RouterOptions): ErrorRequestHandler {
  const shapeError = createErrorShaper(options);
  // Express knows an error handler by its four parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  return (error: unknown, request, response, _next) => {
    const requestId = newRequestId();
    const answer = shapeError(error, requestId);
    if (response.headersSent) response.destroy();
    else void sendResponse(request, response, answer, SECURITY_HEADERS, requestId);
  };
}

/**
 * Answers what no route serves, with a page for browsers and `{error}` for everybody else; it stands behind the routes
 * and before the error handler.
 */
export function expressNotFoundPage(page: ServiceResponse): RequestHandler {
  return (request, response, next) => {
    if (request.accepts(['json', 'html']) === 'html')
      void sendResponse(request, response, page, SECURITY_HEADERS, newRequestId());
    else next(new ServiceError({ code: 'NOT_FOUND' }));
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly found: RouteMatch | undefined;
  readonly options: RouterOptions;
  readonly shapeError: ErrorShaper;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
}

/** What `admit` put on the answer, whichever answer it becomes. */
interface Admitted {
  headers?: ResponseHeaders;
}

async function exchange(current: Exchange): Promise<void> {
  const { request, found, options } = current;
  const route = found?.resource.pattern ?? UNMATCHED;
  const endpoint = found?.resource.endpoints.get(request.method ?? '');
  const method = endpoint === undefined ? 'ANY' : (request.method ?? 'ANY');
  const trace = options.trace ?? untraced;
  await trace(
    `${method} ${route}`,
    { 'http.request.method': method, 'http.route': route },
    (note) => answerAndRecord(current, endpoint, route, method, note),
    incomingTrace(request),
  );
}

function incomingTrace({ headers: { traceparent, tracestate } }: IncomingMessage): IncomingTrace {
  return {
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
  };
}

async function answerAndRecord(
  current: Exchange,
  endpoint: Endpoint | undefined,
  route: string,
  method: string,
  note: Note,
): Promise<void> {
  const { request, response, found, options, outbox } = current;
  const startedAt = performance.now();
  const requestId = newRequestId();
  const base = endpoint?.headers ?? found?.resource.headers ?? SECURITY_HEADERS;
  const admitted: Admitted = {};
  let status: number;
  try {
    const answer = withHeaders(await answerOf(current, endpoint, requestId, admitted), admitted);
    const outcome = await sendResponse(request, response, answer, base, requestId, options.stallMs, outbox);
    status = outcome === 'sent' ? answer.status : CLIENT_GONE_STATUS;
  } catch (error) {
    status = await sendFailure(current, error, { ...base, ...admitted.headers }, requestId);
  }
  const durationMs = performance.now() - startedAt;
  note({ 'http.response.status_code': status, 'cer.request_id': requestId });
  options.metrics?.observe({ route, method, status, durationMs });
  options.logger.info(
    {
      method: request.method,
      route,
      status,
      ...(status === CLIENT_GONE_STATUS && { outcome: 'aborted' }),
      ms: Math.round(durationMs * 100) / 100,
      requestId,
      clientRequestId: clientRequestId(request),
    },
    'request',
  );
}

function withHeaders(answer: ServiceResponse, { headers }: Admitted): ServiceResponse {
  return headers === undefined ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Answers what was thrown, as far as an answer is still possible; never throws itself. */
async function sendFailure(
  { request, response, options, shapeError }: Exchange,
  error: unknown,
  base: ResponseHeaders,
  requestId: string,
): Promise<number> {
  if (error instanceof ClientGone || (response.destroyed && isAbort(error))) {
    response.destroy();
    return CLIENT_GONE_STATUS;
  }
  try {
    const answer = shapeError(error, requestId);
    if (response.headersSent) return answer.status;
    const outcome = await sendResponse(request, response, answer, base, requestId, options.stallMs);
    return outcome === 'sent' ? answer.status : CLIENT_GONE_STATUS;
  } catch (unanswerable) {
    options.logger.error({ requestId, err: unanswerable }, 'refusal could not be sent');
    response.destroy();
    return 500;
  }
}

/** What a handler ends with that watches `request.signal`. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

async function answerOf(
  current: Exchange,
  endpoint: Endpoint | undefined,
  requestId: string,
  admitted: Admitted,
): Promise<ServiceResponse> {
  const { request, response, target, found, options } = current;
  if (found === undefined) throw new ServiceError({ code: 'NOT_FOUND' });
  const { preflight, allow } = found.resource;
  if (endpoint === undefined) {
    if (request.method === 'OPTIONS' && preflight !== undefined) return noContent(preflight);
    throw new ServiceError({ code: 'METHOD_NOT_ALLOWED', headers: { allow } });
  }
  const { route, paramNames } = endpoint;
  const head = requestHead(request, response, target, found.values, paramNames, requestId, options.trustedProxies);
  if (route.admit !== undefined) {
    const headers = await route.admit(head);
    if (typeof headers === 'object') admitted.headers = headers;
  }
  const work = (): Promise<ServiceResponse> => dispatch(route, head, request, response, current.inbox);
  return route.within === undefined ? work() : route.within(head, work);
}

async function dispatch(
  route: Route,
  head: RequestHead,
  request: IncomingMessage,
  response: ServerResponse,
  inbox: Inbox,
): Promise<ServiceResponse> {
  const sendsBody = route.method !== 'GET' && announcesBody(request);
  const limitBytes = sendsBody ? bodyLimitOf(route, head) : 0;
  if (sendsBody) {
    refuseMediaType(route, head);
    refuseAnnouncedLength(request, limitBytes);
    inviteBody(request, response);
  }
  // The head itself grows a body, so that what `admit` remembered about the object holds for the handler.
  if (route.body === 'stream') {
    return route.handler(Object.assign(head, { body: streamBody(request, limitBytes) }));
  }
  if (!sendsBody) return route.handler(Object.assign(head, { body: NO_BODY }));
  const incoming = inbox.open();
  try {
    const body = await readBody(request, limitBytes, incoming.arrived);
    return await route.handler(Object.assign(head, { body }));
  } finally {
    incoming.leave();
  }
}

function bodyLimitOf({ bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES }: Route, head: RequestHead): number {
  return typeof bodyLimitBytes === 'number' ? bodyLimitBytes : bodyLimitBytes(head);
}

function refuseMediaType({ mediaTypes, contentEncodings }: Route, { headers }: RequestHead): void {
  if (mediaTypes !== undefined && !acceptsMediaType(headers['content-type'], mediaTypes)) {
    throw new ServiceError({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `content-type: must be ${mediaTypes.join(' or ')}`,
    });
  }
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (coding !== 'identity' && contentEncodings?.includes(coding) !== true) {
    throw new ServiceError({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `content-encoding: must be ${['identity', ...(contentEncodings ?? [])].join(' or ')}`,
    });
  }
}
