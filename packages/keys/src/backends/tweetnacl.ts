import nacl from 'tweetnacl';
import type { Ed25519Backend } from '../ed25519-backend.js';

/** Pure JavaScript: the fallback for browsers without Ed25519 in WebCrypto, about sixty times slower than native. */
export const tweetnaclBackend: Ed25519Backend = {
  name: 'tweetnacl',
  verify: async (raw, message, signature) => nacl.sign.detached.verify(message, signature, raw),
};
