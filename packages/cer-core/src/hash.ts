import { isWellFormed, JsonError, type CanonicalizationProfile, type JsonValue } from '@cer/canonical-json';
import { sha256Hex } from '#cer-core-platform';
import { CerError } from './errors.js';

/** `sha256:` and 64 lower-case hexadecimal digits. No other form is accepted. */
export type Sha256Hash = `sha256:${string}`;

const hashForm = /^sha256:[0-9a-f]+$/;
const HASH_LENGTH = 'sha256:'.length + 64;

export function isSha256Hash(value: unknown): value is Sha256Hash {
  // The length apart from the digits: the engine counts repetitions of `{64}` one by one.
  return typeof value === 'string' && value.length === HASH_LENGTH && hashForm.test(value);
}

/** SHA-256 of text as UTF-8, or of bytes. The text must be well-formed; canonical text always is. */
export function sha256(data: string | Uint8Array): Sha256Hash {
  return `sha256:${sha256Hex(data)}`;
}

/**
 * The text that is hashed for a raw input or output: a string as it is, any other value as its canonical JSON.
 * @param path names the value in the error
 * @throws CerError CANONICALIZATION_ERROR; a string must be well-formed, or two inputs would share a hash
 * @see docs/spec.md, "Hashing values"
 */
export function hashedText(value: JsonValue, profile: CanonicalizationProfile, path: string): string {
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw new CerError('CANONICALIZATION_ERROR', path, 'lone surrogate');
    return value;
  }
  try {
    return profile.canonicalize(value);
  } catch (error) {
    if (error instanceof CerError) throw new CerError(error.code, path, error.message);
    if (error instanceof JsonError) throw new CerError('CANONICALIZATION_ERROR', path, error.message);
    throw error;
  }
}

/** SHA-256 of a raw input or output. @see docs/spec.md, "Hashing values" */
export function hashValue(value: JsonValue, profile: CanonicalizationProfile, path: string): Sha256Hash {
  return sha256(hashedText(value, profile, path));
}
