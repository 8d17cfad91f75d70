import { createHash, randomBytes } from 'node:crypto';
import type { RequestHead } from '@cer/http-service';
import { clearedCookie, cookieValue, hostCookie } from '@cer/pages';

export const SESSION_COOKIE = '__Host-bridge_session';

const TOKEN_BYTES = 32;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as 43 base64url characters. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The stored form of a session's token: its SHA-256, 64 hex digits. */
export function sessionTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token that the browser sends; `undefined` when it is missing, malformed or sent twice. */
export function sessionToken(head: Pick<RequestHead, 'headers'>): string | undefined {
  const value = cookieValue(head, SESSION_COOKIE);
  return value !== undefined && tokenForm.test(value) ? value : undefined;
}

/** The `Set-Cookie` value. */
export function sessionCookie(token: string, maxAgeS: number): string {
  return hostCookie(SESSION_COOKIE, token, maxAgeS);
}

export const CLEARED_COOKIE = clearedCookie(SESSION_COOKIE);
