import { platformBackend, pooledBackend } from '#keys-platform';
import type { Ed25519Backend } from './ed25519-backend.js';
import type { PublicKey } from './public-key.js';
import { passesStrictGate } from './strict-gate.js';

/** Whether `signature` (64 bytes) over `message` was made with the private half of `key`. Never throws. */
export type SignatureVerifier = (key: PublicKey, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;

/** Puts the strict gate before a backend; an exception of the backend means "not verified". */
export function createVerifier(backend: Ed25519Backend): SignatureVerifier {
  return async (key, message, signature) => {
    try {
      return passesStrictGate(key.raw, signature) && (await backend.verify(key.raw, message, signature));
    } catch {
      return false;
    }
  };
}

/**
 * Verifies Ed25519 with the platform's backend behind the strict gate: exactly 64 bytes, S < L, A and R canonical and
 * not of small order. The accepted set is the same on every platform.
 * @returns false for anything else, hostile input included; never throws
 * @see docs/spec.md, "Signatures"
 */
export const verifySignature: SignatureVerifier = createVerifier(platformBackend);

/** The same for many concurrent signatures (a project, a batch of files): on Node they share the thread pool. */
export const verifySignatureInPool: SignatureVerifier = createVerifier(pooledBackend);
