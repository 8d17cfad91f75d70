import { decodeBase64, decodeBase64Url, encodeBase64 } from './base64.js';
import { BoundedCache } from './bounded-cache.js';
import { KeyError } from './key-error.js';
import { checkOnce } from './known-points.js';
import { isCanonicalAndNotSmallOrder, isOnCurve } from './point.js';
import { rawFromSpki, spkiFromRaw, SPKI_LENGTH } from './spki.js';

const isKnownOnCurve = checkOnce(isOnCurve);

// A key history names every key several times. Room for more than its largest number of entries.
const readKeys = new BoundedCache<PublicKey>(16_384);

/** An Ed25519 public key that passed every check on keys. Created by the functions of this package only. */
export interface PublicKey {
  /** The encoded point, 32 bytes; must not be modified. */
  readonly raw: Uint8Array;
}

/**
 * Reads a raw key; the bytes are copied.
 * @param raw 32 bytes
 * @throws KeyError KEY_FORMAT_UNSUPPORTED for another length; KEY_POINT_INVALID for a non-canonical encoding, a point
 * of small order (for which anyone can forge signatures) or bytes that do not encode a point
 * @see docs/spec.md, "Node key set"
 */
export function publicKeyFromRaw(raw: Uint8Array): PublicKey {
  if (raw.length !== 32) throw new KeyError('KEY_FORMAT_UNSUPPORTED', 'public key: must have 32 bytes');
  if (!isCanonicalAndNotSmallOrder(raw)) {
    throw new KeyError('KEY_POINT_INVALID', 'public key: a point of small order or in a non-canonical encoding');
  }
  if (!isKnownOnCurve(raw)) throw new KeyError('KEY_POINT_INVALID', 'public key: not a point of the curve');
  // Not `slice`: of a Buffer that would be a window into the caller's memory.
  return { raw: new Uint8Array(raw) };
}

/**
 * Reads a key as DER SubjectPublicKeyInfo.
 * @throws KeyError as {@link publicKeyFromRaw}; KEY_FORMAT_UNSUPPORTED for another algorithm or stray bytes
 */
export function publicKeyFromSpki(spki: Uint8Array): PublicKey {
  return publicKeyFromRaw(rawFromSpki(spki));
}

/** Length of 32 bytes in base64url without padding. */
const RAW_BASE64URL_LENGTH = 43;

/**
 * Reads the `publicKey` member of a key set entry: what {@link publicKeyFromBase64} reads, or base64url without padding
 * of the raw 32 bytes.
 * @throws KeyError ENCODING_INVALID, KEY_FORMAT_UNSUPPORTED, KEY_POINT_INVALID
 */
export function publicKeyFromText(text: string): PublicKey {
  return text.length === RAW_BASE64URL_LENGTH ? publicKeyFromRaw(decodeBase64Url(text)) : publicKeyFromBase64(text);
}

/**
 * Reads base64 of the SPKI DER or of the raw 32 bytes, distinguished by length.
 * @throws KeyError ENCODING_INVALID, KEY_FORMAT_UNSUPPORTED, KEY_POINT_INVALID
 */
export function publicKeyFromBase64(text: string): PublicKey {
  return readKeys.getOrMake(text, () => {
    const bytes = decodeBase64(text);
    if (bytes.length === SPKI_LENGTH) return publicKeyFromSpki(bytes);
    if (bytes.length === 32) return publicKeyFromRaw(bytes);
    throw new KeyError('KEY_FORMAT_UNSUPPORTED', 'public key: neither SPKI DER nor 32 raw bytes by its length');
  });
}

/** The key as DER SubjectPublicKeyInfo, 44 bytes: what `openssl pkeyutl -verify -pubin` reads. */
export function toSpki(key: PublicKey): Uint8Array {
  return spkiFromRaw(key.raw);
}

/** {@link toSpki} in base64, as in the `publicKey` member of a key set entry. */
export function toSpkiBase64(key: PublicKey): string {
  return encodeBase64(toSpki(key));
}

/** Whether two keys are the same point; encodings are canonical, so comparing bytes is enough. */
export function isSamePublicKey(one: PublicKey, other: PublicKey): boolean {
  return one.raw.every((byte, at) => other.raw[at] === byte);
}
