import { sha256, type Sha256Hash } from '../hash.js';

/** The 32 bytes that a hash text encodes. */
export function decodeHash(hash: Sha256Hash): Uint8Array {
  const hex = hash.slice('sha256:'.length);
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

/** SHA-256 of a text, 32 bytes. */
export function timestampDigest(text: string): Uint8Array {
  return decodeHash(sha256(text));
}
