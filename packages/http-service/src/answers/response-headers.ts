import type { ResponseHeaders } from '../handler/handler.js';

/** Headers of every answer unless a route replaces them: most answers are neither pages nor cacheable files. */
export const SECURITY_HEADERS: ResponseHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Public routes may be read by any web page, without cookies. */
export const PUBLIC_CORS_HEADERS: ResponseHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Certificate-Hash, X-Request-Id',
};

/** The answer to a preflight for `methods`. */
export function preflightHeaders(methods: readonly string[]): ResponseHeaders {
  return {
    ...PUBLIC_CORS_HEADERS,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'Content-Type',
    'access-control-max-age': '86400',
  };
}
