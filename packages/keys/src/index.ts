/** Ed25519 keys and signatures, strict encodings, node key sets, timestamps. Runs in Node and in browsers. */
export { sha256 } from '#keys-platform';
export { tweetnaclBackend } from './backends/tweetnacl.js';
export { webCryptoBackend, type SubtleEd25519 } from './backends/web-crypto.js';
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './base64.js';
export type { Ed25519Backend } from './ed25519-backend.js';
export { jwkThumbprint, keyFingerprint } from './fingerprint.js';
export { decodeHex, encodeHex } from './hex.js';
export { publicKeyFromJwk, type Ed25519Jwk } from './jwk.js';
export type { EntryKey, KeyEntry, KeyStatus } from './key-entry.js';
export { KeyError, type KeyErrorCode } from './key-error.js';
export { parseKeySet, type NodeKeySet } from './key-set.js';
export {
  formatKeySet,
  type KeyLife,
  type KeySetDocument,
  type KeySetDocumentEntry,
  type PublishableKey,
} from './key-set-document.js';
export {
  publicKeyFromBase64,
  publicKeyFromRaw,
  publicKeyFromSpki,
  toSpki,
  toSpkiBase64,
  type PublicKey,
} from './public-key.js';
export type { Signer } from './signer.js';
export { compareTimestamps, isTimestamp, parseTimestamp, secondsSince1970, type Timestamp } from './timestamp.js';
export { createVerifier, verifySignature, verifySignatureInPool, type SignatureVerifier } from './verify-signature.js';
