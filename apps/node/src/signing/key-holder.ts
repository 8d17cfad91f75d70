import type { PublicKey, Signer } from '@cer/keys';

/** What the key table keeps of a private half: enough for its holder to find it, worthless to anybody else. */
export interface HeldKey {
  /** RFC 7638 thumbprint of the public half. */
  readonly kid: string;
  readonly publicKey: PublicKey;
  /** The holder's own text: a sealed private key, the address of an object in a hardware module. */
  readonly reference: string;
}

/**
 * Where the private halves of signing keys are. Every node of one database must reach the same ones: a key that one
 * node made is opened by all. One contract suite holds every adapter.
 * @see docs/spec.md, "Signing keys"
 */
export interface SigningKeyHolder {
  /** Stored with each key, so that no holder is asked for a key of another one. */
  readonly name: 'file' | 'pkcs11';

  /**
   * Makes an Ed25519 key pair that nobody knows of yet.
   * @throws SignerAwayError
   */
  create(): Promise<HeldKey>;

  /**
   * A signer for a key that some node of this database made. It signs messages of any length, any number at once, until
   * the key is erased; when its holder goes away, `sign` rejects and `open` is called again later.
   * @throws SignerAwayError when the holder cannot be reached, or holds no such key, or another one than `publicKey`
   */
  open(key: HeldKey): Promise<Signer>;

  /**
   * Destroys the private half for good. A key that is not there any more is no error.
   * @throws SignerAwayError when the holder cannot be reached; it is called again later
   */
  erase(key: HeldKey): Promise<void>;

  /** Gives back what was opened: sessions, handles. Nothing is called afterwards. */
  close(): Promise<void>;
}

/**
 * No signature can be had now. The message is shown by `/ready`, which needs no key: it names the part and the rule, never
 * an address, a label, a PIN or anything a library said.
 */
export class SignerAwayError extends Error {
  override readonly name = 'SignerAwayError';
}
