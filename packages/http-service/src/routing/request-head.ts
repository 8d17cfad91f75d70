import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress, type TrustedProxies } from '../callers/client-address.js';
import type { RequestHead, RequestHeaders } from '../handler/handler.js';
import { validationError } from '../errors/service-error.js';
import type { RouteMatch } from './route-table.js';

/** A request target, split and otherwise untouched. */
export interface Target {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** Also of the absolute form (`GET http://host/path`) that HTTP allows. */
export function splitTarget(url = '/'): Target {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  // `http://host` and `http://host?query` ask for the root.
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : target.slice(mark + 1) };
}

const PERCENT_ENCODED = /(?:%[0-9a-f]{2})+/gi;

/**
 * `URLSearchParams` reads bytes that are not UTF-8 as U+FFFD, which would look up another value than the one sent.
 * @throws ServiceError VALIDATION_ERROR with each such parameter as `name: rule`
 */
export function refuseMalformedQuery({ query }: Target): void {
  if (!query.includes('%')) return;
  const faults = query.split('&').flatMap((pair) => {
    const [name = ''] = pair.split('=', 1);
    if (isUtf8(pair)) return [];
    return [`${/^[\w.-]{1,64}$/.test(name) ? name : 'query'}: must be percent-encoded UTF-8`];
  });
  if (faults.length > 0) throw validationError([...new Set(faults)]);
}

function isUtf8(text: string): boolean {
  try {
    for (const [bytes] of text.matchAll(PERCENT_ENCODED)) decodeURIComponent(bytes);
    return true;
  } catch {
    return false;
  }
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** The head of a request as handlers see it. */
export function requestHead(
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  values: RouteMatch['values'],
  paramNames: readonly string[],
  requestId: string,
  trusted: TrustedProxies | undefined,
): RequestHead {
  const headers = plainHeaders(request.headers);
  let signal: AbortSignal | undefined;
  return {
    method: request.method ?? 'GET',
    path: target.path,
    query: new URLSearchParams(target.query),
    params:
      values.length === 0 ? NO_PARAMS : Object.fromEntries(paramNames.map((name, at) => [name, values[at] ?? ''])),
    headers,
    remoteAddress: clientAddress(request.socket.remoteAddress ?? '', headers['x-forwarded-for'], trusted),
    requestId,
    // Few handlers use it, so it is made on demand.
    get signal() {
      return (signal ??= signalOfDeparture(response));
    },
  };
}

/** Node joins repeated fields into one text, except `set-cookie`, which requests do not have. */
function plainHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  if (headers['set-cookie'] !== undefined) delete headers['set-cookie'];
  return headers as RequestHeaders;
}

function signalOfDeparture(response: ServerResponse): AbortSignal {
  const departure = new AbortController();
  if (response.destroyed && !response.writableFinished) departure.abort();
  response.once('close', () => {
    if (!response.writableFinished) departure.abort();
  });
  return departure.signal;
}
