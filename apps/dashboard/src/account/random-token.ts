import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 base64url characters: for sessions, one-time links and forms. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

export function isRandomToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The stored form of a token: its SHA-256, 64 hex digits. A token has too many bits to be guessed from it. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
