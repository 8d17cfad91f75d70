import type { PublicKey } from './public-key.js';

/** Whoever holds a private key: a key file, a test seed, later perhaps a hardware module. */
export interface Signer {
  readonly kid: string;
  readonly publicKey: PublicKey;
  /** @returns the Ed25519 signature, 64 bytes */
  sign(message: Uint8Array): Promise<Uint8Array>;
}
