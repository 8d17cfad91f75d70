import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import { BoundedCache } from '../bounded-cache.js';
import type { Ed25519Backend } from '../ed25519-backend.js';
import { spkiFromRaw } from '../spki.js';

const CACHED_KEYS = 256;
const keyObjects = new BoundedCache<KeyObject>(CACHED_KEYS);

function keyObjectOf(raw: Uint8Array): KeyObject {
  const name = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  return keyObjects.getOrMake(name, () =>
    createPublicKey({ key: Buffer.from(spkiFromRaw(raw)), format: 'der', type: 'spki' }),
  );
}

/** OpenSSL through node:crypto, on this thread: one check costs less than a round trip to the thread pool. */
export const platformBackend: Ed25519Backend = {
  name: 'node:crypto',
  verify: async (raw, message, signature) => verify(null, message, keyObjectOf(raw), signature),
};

/** The same on the thread pool: many concurrent checks use every core. */
export const pooledBackend: Ed25519Backend = {
  name: 'node:crypto (thread pool)',
  verify: (raw, message, signature) =>
    new Promise((resolve, reject) => {
      verify(null, message, keyObjectOf(raw), signature, (error, valid) => {
        if (error === null) resolve(valid);
        else reject(error);
      });
    }),
};

const DIGEST_BYTES = 32;

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // As a text with one character for each byte: a Buffer has memory outside the heap, which costs more than the hash.
  const text = hash('sha256', bytes, 'binary');
  const digest = new Uint8Array(DIGEST_BYTES);
  for (let at = 0; at < DIGEST_BYTES; at++) digest[at] = text.charCodeAt(at);
  return digest;
}
