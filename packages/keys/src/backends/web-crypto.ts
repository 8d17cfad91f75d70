import { BoundedCache } from '../bounded-cache.js';
import type { Ed25519Backend } from '../ed25519-backend.js';
import { encodeHex } from '../hex.js';

/** The part of WebCrypto's SubtleCrypto that verification uses; both Node's and a browser's implement it. */
export interface SubtleEd25519<Key = unknown> {
  importKey(
    format: 'raw',
    keyData: Uint8Array<ArrayBuffer>,
    algorithm: { name: 'Ed25519' },
    extractable: boolean,
    keyUsages: 'verify'[],
  ): Promise<Key>;
  verify(
    algorithm: { name: 'Ed25519' },
    key: Key,
    signature: Uint8Array<ArrayBuffer>,
    data: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>;
}

const ED25519 = { name: 'Ed25519' } as const;
const CACHED_KEYS = 256;

/**
 * Verification by WebCrypto.
 * @param subtle `crypto.subtle` of a browser or of node:crypto; the caller makes sure that it supports Ed25519
 */
export function webCryptoBackend<Key>(subtle: SubtleEd25519<Key>): Ed25519Backend {
  const keys = new BoundedCache<Promise<Key>>(CACHED_KEYS);
  return {
    name: 'webcrypto',
    // Copies, because WebCrypto rejects memory that is shared between threads.
    verify: async (raw, message, signature) => {
      const key = await keys.getOrMake(encodeHex(raw), () =>
        subtle.importKey('raw', new Uint8Array(raw), ED25519, false, ['verify']),
      );
      return subtle.verify(ED25519, key, new Uint8Array(signature), new Uint8Array(message));
    },
  };
}
