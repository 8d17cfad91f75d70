import { KeyError } from './key-error.js';

/**
 * DER prefix of SubjectPublicKeyInfo with id-Ed25519, before the key's 32 bytes; the only valid encoding (RFC 8410).
 */
const PREFIX = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);

/** Length in bytes of an Ed25519 key as SPKI DER. */
export const SPKI_LENGTH = PREFIX.length + 32;

/** @param raw 32 bytes */
export function spkiFromRaw(raw: Uint8Array): Uint8Array {
  const spki = new Uint8Array(SPKI_LENGTH);
  spki.set(PREFIX);
  spki.set(raw, PREFIX.length);
  return spki;
}

/**
 * @returns the raw key as a view of `spki`
 * @throws KeyError KEY_FORMAT_UNSUPPORTED unless it is exactly the DER of an Ed25519 key
 */
export function rawFromSpki(spki: Uint8Array): Uint8Array {
  if (spki.length !== SPKI_LENGTH || !PREFIX.every((byte, at) => spki[at] === byte)) {
    throw new KeyError('KEY_FORMAT_UNSUPPORTED', 'public key: not the SPKI DER of an Ed25519 key');
  }
  return spki.subarray(PREFIX.length);
}
