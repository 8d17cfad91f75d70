/** An Ed25519 implementation behind the strict gate. It may throw: the verifier treats that as "does not verify". */
export interface Ed25519Backend {
  readonly name: string;
  /** @param raw public key, 32 bytes; @param signature 64 bytes; both have passed the strict gate */
  verify(raw: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}
