import type { RequestHead } from '@cer/http-service';
import { clearedCookie, cookieValue, hostCookie } from '@cer/pages';
import { isRandomToken } from '../account/random-token.js';

export const SESSION_COOKIE = '__Host-dashboard_session';
/** Binds forms sent without a session to the browser that showed them. */
export const VISIT_COOKIE = '__Host-dashboard_visit';

/** Identifies a browser that signed in to an account before. */
export const DEVICE_COOKIE = '__Host-dashboard_device';

/** Binds a sign-in at the provider to the browser that began it. */
export const OIDC_COOKIE = '__Host-dashboard_oidc';

type CookieName = typeof SESSION_COOKIE | typeof VISIT_COOKIE;

/** The token in a cookie; `undefined` when it is missing, malformed or sent twice. */
export function cookieToken(head: Pick<RequestHead, 'headers'>, name: CookieName): string | undefined {
  const value = cookieValue(head, name);
  return value !== undefined && isRandomToken(value) ? value : undefined;
}

/** The `Set-Cookie` value for a token; without `maxAgeS`, in seconds, the cookie ends with the browser session. */
export function setCookie(name: CookieName, token: string, maxAgeS?: number): string {
  return hostCookie(name, token, maxAgeS);
}

/** The signed value of the device cookie; `undefined` when it is missing or sent twice. */
export function deviceValue(head: Pick<RequestHead, 'headers'>): string | undefined {
  return cookieValue(head, DEVICE_COOKIE);
}

/** The `Set-Cookie` value for a known device. */
export function setDeviceCookie(value: string, maxAgeS: number): string {
  return hostCookie(DEVICE_COOKIE, value, maxAgeS);
}

/** The value that a sign-in at the provider is bound to; `undefined` when it is missing or sent twice. */
export function flowValue(head: Pick<RequestHead, 'headers'>): string | undefined {
  return cookieValue(head, OIDC_COOKIE);
}

/** The `Set-Cookie` value for a sign-in at the provider. */
export function setFlowCookie(value: string, maxAgeS: number): string {
  return hostCookie(OIDC_COOKIE, value, maxAgeS);
}

/** The `Set-Cookie` value that deletes a cookie. */
export function clearCookie(name: CookieName | typeof OIDC_COOKIE): string {
  return clearedCookie(name);
}
