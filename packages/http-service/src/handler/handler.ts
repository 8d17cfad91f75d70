/** Header fields by lower-case name, as the transport joined them. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** A request before its body is read: the input of authentication, authorization and rate limits. */
export interface RequestHead {
  readonly method: string;
  /** The path as sent: neither decoded nor normalized, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path parameters of the matched pattern, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  /** The client's IP address; proxies are trusted only if configured. */
  readonly remoteAddress: string;
  readonly requestId: string;
  /** Aborts when the client disconnects before its answer was sent. */
  readonly signal: AbortSignal;
}

/** A request with its whole body, which may be empty. */
export interface ServiceRequest extends RequestHead {
  readonly body: Uint8Array;
}

/** A request whose body is read while it arrives; slow iteration slows the sender down. */
export interface StreamRequest extends RequestHead {
  readonly body: AsyncIterable<Uint8Array>;
  /** Bytes of the body, as its head says; NaN where it says nothing, or the length of the packed body. */
  readonly announcedBytes: number;
}

export type ResponseHeaders = Readonly<Record<string, string>>;

export interface ServiceResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
  /** An iterable is streamed and pulled no faster than the client reads. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array | string> | null;
}

export type Handler = (request: ServiceRequest) => Promise<ServiceResponse>;
export type StreamHandler = (request: StreamRequest) => Promise<ServiceResponse>;

export const JSON_TYPE = 'application/json; charset=utf-8';
const JSON_HEADERS: ResponseHeaders = { 'content-type': JSON_TYPE };
const NO_HEADERS: ResponseHeaders = {};

/** An answer with an already serialized JSON text, for bytes that must not be serialized again. */
export function jsonText(status: number, text: string, headers?: ResponseHeaders): ServiceResponse {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body: text };
}

/** An answer with `value` as JSON. */
export function json(status: number, value: unknown, headers?: ResponseHeaders): ServiceResponse {
  return jsonText(status, JSON.stringify(value), headers);
}

/** 200 with `value` as JSON. */
export function ok(value: unknown, headers?: ResponseHeaders): ServiceResponse {
  return json(200, value, headers);
}

/** 200 with one JSON value per line. */
export function ndjson(values: readonly unknown[]): ServiceResponse {
  const lines = values.map((value) => `${JSON.stringify(value)}\n`);
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: lines.join('') };
}

/** 204. */
export function noContent(headers: ResponseHeaders = NO_HEADERS): ServiceResponse {
  return { status: 204, headers, body: null };
}

/** Sends the client to `location`; 302 by default. */
export function redirect(
  location: string,
  status: 301 | 302 | 303 | 307 | 308 = 302,
  headers?: ResponseHeaders,
): ServiceResponse {
  return { status, headers: { ...headers, location }, body: null };
}

/**
 * A path parameter that the route's pattern declares.
 * @throws Error when the pattern has no such parameter: a fault of the service, not of the request
 */
export function pathParam(head: RequestHead, name: string): string {
  const value = head.params[name];
  if (value === undefined) throw new Error(`the route has no path parameter ${name}`);
  return value;
}
