import { createHash, randomBytes } from 'node:crypto';
import type { RequestHead } from '@cer/http-service';

/** The prefix has the browser refuse the cookie from any other host, path or unencrypted answer. */
export const SESSION_COOKIE = '__Host-bridge_session';

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const TOKEN_BYTES = 32;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** All that is kept of a session's token. */
export function sessionTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token that the browser holds; `undefined` when it is missing, malformed or there twice. */
export function sessionToken({ headers }: Pick<RequestHead, 'headers'>): string | undefined {
  const values = (headers['cookie'] ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .flatMap(([name, value]) => (name === SESSION_COOKIE && value !== undefined ? [value] : []));
  const [value] = values;
  return values.length === 1 && value !== undefined && tokenForm.test(value) ? value : undefined;
}

/** The `Set-Cookie` value. */
export function sessionCookie(token: string, maxAgeS: number): string {
  return `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${maxAgeS}`;
}

export const CLEARED_COOKIE = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
