/** An Ed25519 implementation as the strict gate sees it. It may throw: the verifier reads that as "does not verify". */
export interface Ed25519Backend {
  readonly name: string;
  /** @param raw public key, 32 bytes; @param signature 64 bytes; both already through the strict gate */
  verify(raw: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}
