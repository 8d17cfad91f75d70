import type { RequestHead } from '../handler/handler.js';
import { ServiceError } from '../errors/service-error.js';

// RFC 6750 b64token behind a scheme in any case.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/** 401 UNAUTHORIZED, with the challenge HTTP asks for and no reason. */
export function unauthorized(): ServiceError<'UNAUTHORIZED'> {
  return new ServiceError({ code: 'UNAUTHORIZED', headers: { 'www-authenticate': 'Bearer' } });
}

/** The key of `Authorization: Bearer <key>`, or `undefined` when there is no such header or another scheme. */
export function optionalBearerKey(head: Pick<RequestHead, 'headers'>): string | undefined {
  const header = head.headers['authorization'];
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

/**
 * The key of `Authorization: Bearer <key>`.
 * @throws ServiceError UNAUTHORIZED when it is missing or malformed
 */
export function bearerKey(head: Pick<RequestHead, 'headers'>): string {
  const key = optionalBearerKey(head);
  if (key === undefined) throw unauthorized();
  return key;
}
