import type { RequestHead } from '../handler/handler.js';
import { ServiceError } from '../errors/service-error.js';

// RFC 6750 b64token behind a scheme in any case.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/**
 * 401 UNAUTHORIZED, with the challenge that HTTP requires.
 * @param message must not depend on whether a key exists
 */
export function unauthorized(message?: string): ServiceError<'UNAUTHORIZED'> {
  return new ServiceError({
    code: 'UNAUTHORIZED',
    ...(message !== undefined && { message }),
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/**
 * The key of `Authorization: Bearer <key>`.
 * @throws ServiceError UNAUTHORIZED when it is missing or malformed
 */
export function bearerKey(head: Pick<RequestHead, 'headers'>): string {
  const header = head.headers['authorization'];
  const key = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (key !== undefined) return key;
  throw unauthorized(
    header === undefined
      ? 'Authorization: is missing: send the header "Authorization: Bearer <key>"'
      : 'Authorization: must be Bearer, a space and the key',
  );
}
