import { apiKeyPrefix, generateApiKey, hashApiKey } from '@cer/control-plane';

/** A new key, shown once, and the parts of it that are stored. */
export interface IssuedKey {
  readonly key: string;
  readonly keyHash: string;
  readonly prefix: string;
}

export function issueApiKey(): IssuedKey {
  return issuedKeyOf(generateApiKey());
}

/** The stored parts of an existing key: its SHA-256, 64 hex digits, and the characters that lists show. */
export function issuedKeyOf(key: string): IssuedKey {
  return { key, keyHash: hashApiKey(key), prefix: apiKeyPrefix(key) };
}
