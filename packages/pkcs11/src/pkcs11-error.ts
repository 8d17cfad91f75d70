/**
 * Reason why a token, or a key on it, cannot be used. The list is closed: callers may switch over it.
 *
 * - PKCS11_BINDING_MISSING: the optional package `pkcs11js` is not installed or was not compiled
 * - PKCS11_MODULE_UNUSABLE: the module's library cannot be loaded
 * - PKCS11_TOKEN_AMBIGUOUS: several tokens have the label
 * - PKCS11_PIN_FILE_INVALID: the file with the PIN is missing, empty or open to other users
 * - PKCS11_PIN_REFUSED: the PIN is wrong or locked; it is not tried again before its file changes
 * - PKCS11_PIN_WITHHELD: the token is locked, or one more wrong PIN would lock it; a later call looks again
 * - PKCS11_ED25519_UNSUPPORTED: the token makes no Ed25519 keys or signatures
 * - PKCS11_KEY_NOT_FOUND, PKCS11_KEY_AMBIGUOUS: no key, or several private keys, of this kid on the token
 * - PKCS11_KEY_EXTRACTABLE: the private key may leave the token
 * - PKCS11_SIGNATURE_INVALID: the token's answer is not a signature of this key over this message
 * - PKCS11_UNAVAILABLE: the token is absent, or its module failed or did not answer in time; a later call tries again
 */
export type Pkcs11ErrorCode = (typeof PKCS11_ERROR_CODES)[number];

export const PKCS11_ERROR_CODES = [
  'PKCS11_BINDING_MISSING',
  'PKCS11_MODULE_UNUSABLE',
  'PKCS11_TOKEN_AMBIGUOUS',
  'PKCS11_PIN_FILE_INVALID',
  'PKCS11_PIN_REFUSED',
  'PKCS11_PIN_WITHHELD',
  'PKCS11_ED25519_UNSUPPORTED',
  'PKCS11_KEY_NOT_FOUND',
  'PKCS11_KEY_AMBIGUOUS',
  'PKCS11_KEY_EXTRACTABLE',
  'PKCS11_SIGNATURE_INVALID',
  'PKCS11_UNAVAILABLE',
] as const;

/** An error about a hardware key. The message names the setting and the rule and never contains the PIN. */
export class Pkcs11Error extends Error {
  override readonly name = 'Pkcs11Error';
  /** Services print and log the message. */
  readonly forOperator = true;
  readonly code: Pkcs11ErrorCode;

  constructor(code: Pkcs11ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
