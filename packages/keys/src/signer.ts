import type { PublicKey } from './public-key.js';

/** Signs with one private key, held in a key file, a database, a hardware token or derived from a test seed. */
export interface Signer {
  readonly kid: string;
  readonly publicKey: PublicKey;
  /** @returns the Ed25519 signature, 64 bytes */
  sign(message: Uint8Array): Promise<Uint8Array>;
}
