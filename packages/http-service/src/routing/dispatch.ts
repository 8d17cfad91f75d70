import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorShaper } from '../answers/error-shaper.js';
import { codingOf } from '../bodies/content-coding.js';
import { acceptsMediaType, namesMediaType } from '../bodies/media-type.js';
import {
  announcedBytes,
  announcesBody,
  inviteBody,
  NO_BODY,
  readBody,
  refuseAnnouncedLength,
  streamBody,
} from '../bodies/read-body.js';
import { collectBody, DECODED_CODINGS, unpackBody } from '../bodies/unpack-body.js';
import { ServiceError } from '../errors/service-error.js';
import { noContent, type RequestHead, type ResponseHeaders, type ServiceResponse } from '../handler/handler.js';
import type { BodyBudget } from '../limits/body-budget.js';
import type { ResponseBudget } from '../limits/response-budget.js';
import { refuseMalformedQuery, requestHead, type Target } from './request-head.js';
import type { Route } from './route.js';
import type { Endpoint, RouteMatch } from './route-table.js';
import type { RouterOptions } from './router-options.js';

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
const NO_VALUES: readonly string[] = [];

/** State that all exchanges of one router share. */
export interface RouterParts {
  readonly options: RouterOptions;
  readonly shapeError: ErrorShaper;
  /** Answers unknown paths. */
  readonly unknown: Endpoint;
  readonly bodyBudget: BodyBudget;
  readonly responseBudget: ResponseBudget;
}

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  /** Undefined for an unknown path. */
  readonly found: RouteMatch | undefined;
  /** Undefined for a method without a route at the path. */
  readonly endpoint: Endpoint | undefined;
}

/** Headers that `admit` returned, for whichever answer follows. */
export interface Admitted {
  headers?: ResponseHeaders;
}

/**
 * Takes a request through the order of refusals to its handler.
 * @throws ServiceError for a refusal, ClientGone, and errors of the route's own functions
 * @see docs/spec.md, "Refusal order"
 */
export async function answerOf(
  exchange: Exchange,
  { options, bodyBudget }: RouterParts,
  requestId: string,
  admitted: Admitted,
): Promise<ServiceResponse> {
  const { request, response, target, found, endpoint } = exchange;
  if (endpoint === undefined) {
    const preflight = found?.resource.preflight;
    if (request.method === 'OPTIONS' && preflight !== undefined) return noContent(preflight);
    const allow = found?.resource.allow ?? '';
    const message = `method: must be ${allow.includes(',') ? `one of ${allow}` : allow}`;
    throw new ServiceError({ code: 'METHOD_NOT_ALLOWED', message, headers: { allow } });
  }
  const { route, paramNames } = endpoint;
  const values = found?.values ?? NO_VALUES;
  const head = requestHead(request, response, target, values, paramNames, requestId, options.trustedProxies);
  if (route.admit !== undefined) {
    const headers = await route.admit(head);
    if (typeof headers === 'object') admitted.headers = headers;
  }
  const work = (): Promise<ServiceResponse> => handle(route, head, exchange, bodyBudget);
  return route.within === undefined ? work() : route.within(head, work);
}

async function handle(
  route: Route,
  head: RequestHead,
  { request, response, target, found }: Exchange,
  bodyBudget: BodyBudget,
): Promise<ServiceResponse> {
  const sendsBody = route.method !== 'GET' && announcesBody(request);
  const limitBytes = sendsBody ? bodyLimitOf(route, head) : 0;
  if (sendsBody) {
    refuseMediaType(route, head);
    refuseAnnouncedLength(request, limitBytes);
  }
  // An unknown path is 404 whatever its query is.
  if (found !== undefined) refuseMalformedQuery(target);
  if (sendsBody) inviteBody(request, response);
  const isPacked = sendsBody && isPackedFor(route, head);
  // The body is added to the head itself, so that a WeakMap entry of `admit` also holds for the handler.
  if (route.body === 'stream') {
    const sent = streamBody(request, limitBytes);
    const streamed = isPacked
      ? { body: unpackBody(sent, limitBytes), announcedBytes: NaN }
      : { body: sent, announcedBytes: announcedBytes(request) };
    return route.handler(Object.assign(head, streamed));
  }
  if (!sendsBody) return route.handler(Object.assign(head, { body: NO_BODY }));
  const incoming = bodyBudget.open(route.holderOf?.(head) ?? null);
  try {
    const body = isPacked
      ? await collectBody(unpackBody(streamBody(request, limitBytes), limitBytes), incoming.arrived)
      : await readBody(request, limitBytes, incoming.arrived);
    return await route.handler(Object.assign(head, { body }));
  } finally {
    incoming.release();
  }
}

function bodyLimitOf({ bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES }: Route, head: RequestHead): number {
  return typeof bodyLimitBytes === 'number' ? bodyLimitBytes : bodyLimitBytes(head);
}

function refuseMediaType({ mediaTypes, contentEncodings }: Route, { headers }: RequestHead): void {
  const type = headers['content-type'];
  if (mediaTypes !== undefined && !acceptsMediaType(type, mediaTypes)) {
    const isNamed = type !== undefined && namesMediaType(type, mediaTypes);
    const rule = isNamed ? 'charset must be utf-8' : `must be ${mediaTypes.join(' or ')}`;
    throw new ServiceError({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `content-type: ${rule}: send the header "Content-Type: ${mediaTypes[0] ?? ''}"`,
    });
  }
  const coding = codingOf(headers);
  const accepted = ['identity', ...(contentEncodings ?? DECODED_CODINGS)];
  if (!accepted.includes(coding)) {
    throw new ServiceError({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `content-encoding: must be ${accepted.join(' or ')}`,
    });
  }
}

/** Whether the router decodes the body: a route that names its codings decodes them itself. */
function isPackedFor({ contentEncodings }: Route, { headers }: RequestHead): boolean {
  return contentEncodings === undefined && codingOf(headers) !== 'identity';
}
