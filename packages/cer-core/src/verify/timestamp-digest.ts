import { decodeHex } from '@cer/keys';
import { sha256, type Sha256Hash } from '../hash.js';

/** The 32 bytes that a hash text encodes. */
export function decodeHash(hash: Sha256Hash): Uint8Array {
  return decodeHex(hash.slice('sha256:'.length));
}

/** SHA-256 of a text, 32 bytes. */
export function timestampDigest(text: string): Uint8Array {
  return decodeHash(sha256(text));
}
