import { OperatorError } from '@cer/http-service/process';
import type { PublicKey, Signer } from '@cer/keys';

/** The key table's reference to a private key: sufficient for its holder, useless to any other reader. */
export interface HeldKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly publicKey: PublicKey;
  /** Text defined by the holder: a sealed private key or the address of an object in a hardware module. */
  readonly reference: string;
}

/**
 * Stores the private keys of signing keys. Every node of a database must reach the same ones: all nodes open a key that
 * one created. One contract suite runs against every adapter.
 * @see docs/spec.md, "Signing keys"
 */
export interface SigningKeyHolder {
  /** Stored with each key, so that no holder gets a request for a key of another. */
  readonly name: 'file' | 'pkcs11';

  /**
   * Creates an unpublished Ed25519 key pair.
   * @throws SignerAwayError
   */
  create(): Promise<HeldKey>;

  /**
   * Opens a signer for a key created by any node of this database. It signs any number of concurrent messages of any
   * length until the key is erased; when its holder becomes unavailable, `sign` rejects and `open` is called again
   * later.
   * @throws SignerAwayError when the holder cannot be reached, lacks the key, or has another one than `publicKey`
   */
  open(key: HeldKey): Promise<Signer>;

  /**
   * Destroys the private key irrevocably. A missing key is not an error.
   * @throws SignerAwayError when the holder cannot be reached; it is called again later
   */
  erase(key: HeldKey): Promise<void>;

  /** Releases sessions and handles. Must be the last call. */
  close(): Promise<void>;
}

/**
 * Signing is unavailable now. The public route `/ready` shows the message: it names the component and the rule, never
 * an address, a label, a PIN or a library's message.
 */
export class SignerAwayError extends OperatorError {
  override readonly name = 'SignerAwayError';
  readonly isExplained = true;
}
