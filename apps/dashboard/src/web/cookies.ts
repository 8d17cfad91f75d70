import type { RequestHead } from '@cer/http-service';
import { isRandomToken } from '../account/random-token.js';

/** The prefix has the browser refuse the cookie from any other host, path or unencrypted answer. */
export const SESSION_COOKIE = '__Host-dashboard_session';
/** Binds the forms of somebody who is not signed in to their browser. */
export const VISIT_COOKIE = '__Host-dashboard_visit';

type CookieName = typeof SESSION_COOKIE | typeof VISIT_COOKIE;

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';

/** The token in a cookie; `undefined` when it is missing, malformed or there twice. */
export function cookieToken({ headers }: Pick<RequestHead, 'headers'>, name: CookieName): string | undefined {
  const values = (headers['cookie'] ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
  const [value] = values;
  return values.length === 1 && value !== undefined && isRandomToken(value) ? value : undefined;
}

/** The `Set-Cookie` value for a token; without `maxAgeS` the cookie ends with the browser. */
export function setCookie(name: CookieName, token: string, maxAgeS?: number): string {
  return `${name}=${token}; ${ATTRIBUTES}${maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`}`;
}

export function clearCookie(name: CookieName): string {
  return `${name}=; ${ATTRIBUTES}; Max-Age=0`;
}
