import { createHash, randomBytes } from 'node:crypto';

/** Permissions of an API key. @see docs/spec.md, "API keys" */
export const SCOPES = ['certify', 'render', 'register', 'ingest', 'audit', 'review', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

const KEY_BYTES = 32;
const keyForm = /^cer_live_[A-Za-z0-9_-]{43}$/;
const SHOWN_CHARACTERS = 'cer_live_'.length + 6;

/** A new key, shown once, and the parts of it that are stored. */
export interface IssuedKey {
  readonly key: string;
  readonly keyHash: string;
  readonly prefix: string;
}

/** Makes a key: `cer_live_` and 43 base64url characters. */
export function issueApiKey(): IssuedKey {
  return issuedKeyOf(`cer_live_${randomBytes(KEY_BYTES).toString('base64url')}`);
}

export function isApiKey(text: string): boolean {
  return keyForm.test(text);
}

/** The stored parts of an existing key: its SHA-256, 64 hex digits, and the characters that lists show. */
export function issuedKeyOf(key: string): IssuedKey {
  return { key, keyHash: createHash('sha256').update(key).digest('hex'), prefix: key.slice(0, SHOWN_CHARACTERS) };
}

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}
