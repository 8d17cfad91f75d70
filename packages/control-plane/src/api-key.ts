import { hash, randomBytes } from 'node:crypto';

/** The scopes of API keys. @see docs/spec.md, "API keys" */
export const SCOPES = ['certify', 'render', 'register', 'ingest', 'audit', 'review', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

const KEY_BYTES = 32;
const keyForm = /^cer_live_[A-Za-z0-9_-]{43}$/;
const SHOWN_CHARACTERS = 'cer_live_'.length + 6;

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** A new key: `cer_live_` and 43 base64url characters. It is shown once; only its hash is stored. */
export function generateApiKey(): string {
  return `cer_live_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** Whether a text has the form of an API key; any other text is refused without a look-up. */
export function isApiKey(text: string): boolean {
  return keyForm.test(text);
}

/** @returns the SHA-256 of the key, 64 hex digits: the only form in which a control plane receives it */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** The part of a key shown in lists. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS);
}
