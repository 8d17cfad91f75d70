import { createHash } from 'node:crypto';

const keyForm = /^cer_live_[A-Za-z0-9_-]{43}$/;

/** Whether a text has the form of an API key; anything else is refused without a look-up. @see docs/spec.md, "API keys" */
export function isApiKey(text: string): boolean {
  return keyForm.test(text);
}

/** @returns the SHA-256 of the key, 64 hex digits: the only form in which the control plane receives it */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
