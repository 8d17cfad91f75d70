import type { RequestHead } from '@cer/http-service';

/** A cookie name whose prefix makes the browser refuse it from any other host or path, and without encryption. */
type HostCookieName = `__Host-${string}`;

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';

/** The value of a cookie; `undefined` when it is missing or sent more than once. */
export function cookieValue({ headers }: Pick<RequestHead, 'headers'>, name: HostCookieName): string | undefined {
  const values = (headers['cookie'] ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
  return values.length === 1 ? values[0] : undefined;
}

/** The `Set-Cookie` value; without `maxAgeS`, in seconds, the cookie ends with the browser session. */
export function hostCookie(name: HostCookieName, value: string, maxAgeS?: number): string {
  return `${name}=${value}; ${ATTRIBUTES}${maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`}`;
}

/** The `Set-Cookie` value that deletes a cookie. */
export function clearedCookie(name: HostCookieName): string {
  return `${name}=; ${ATTRIBUTES}; Max-Age=0`;
}
