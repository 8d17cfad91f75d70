import { publicKeyFromRaw, verifySignatureInPool, type PublicKey, type Signer } from '@cer/keys';
import { readBytes, type TokenKey } from './messages.js';
import { Pkcs11Error } from './pkcs11-error.js';
import type { TokenCalls } from './token-connection.js';

/**
 * Signs with a key that stays on its token. The module is not trusted: every signature must have 64 bytes and verify
 * under the public key read when the signer was opened.
 */
export class Pkcs11Signer implements Signer {
  readonly kid: string;
  readonly publicKey: PublicKey;
  readonly #calls: TokenCalls;

  constructor(key: TokenKey, calls: TokenCalls) {
    this.kid = key.kid;
    this.publicKey = publicKeyFromRaw(key.point);
    this.#calls = calls;
  }

  /**
   * @throws Pkcs11Error PKCS11_UNAVAILABLE while the token is absent; PKCS11_SIGNATURE_INVALID; errors of opening the
   * token
   */
  async sign(message: Uint8Array): Promise<Uint8Array> {
    // The caller may modify its buffer while the token works.
    const signed = new Uint8Array(message);
    const request = { operation: 'sign', kid: this.kid, message: signed } as const;
    const signature = await this.#calls.ask(request, readBytes, { again: true });
    if (signature.length === 64 && (await verifySignatureInPool(this.publicKey, signed, signature))) return signature;
    throw new Pkcs11Error(
      'PKCS11_SIGNATURE_INVALID',
      'PKCS#11 token: returned an invalid signature for its key. Do not use it',
    );
  }
}
