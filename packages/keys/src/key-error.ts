/**
 * Reason why a key, an encoding, a key set or a key file was rejected. The list is closed: callers may switch over it.
 *
 * - ENCODING_INVALID: text that is not the canonical base64 or base64url form of its bytes
 * - KEY_FORMAT_UNSUPPORTED: not an Ed25519 public key in a supported form (raw, SPKI, JWK)
 * - KEY_POINT_INVALID: 32 bytes that do not encode a point, encode it non-canonically, or encode a point of small order
 * - KEY_SET_INVALID: a document that is not `{nodeId, keys}`, or a key set that may not be published
 * - KEY_HISTORY_INVALID: a key history of the wrong form, or a change that is impossible at its position
 * - KEY_FILE_NOT_FOUND, KEY_FILE_EXISTS, KEY_FILE_PERMISSIONS, KEY_FILE_UNWRITABLE, KEY_FILE_INVALID: errors of the
 * file signer
 */
export type KeyErrorCode =
  | 'ENCODING_INVALID'
  | 'KEY_FORMAT_UNSUPPORTED'
  | 'KEY_POINT_INVALID'
  | 'KEY_SET_INVALID'
  | 'KEY_HISTORY_INVALID'
  | 'KEY_FILE_NOT_FOUND'
  | 'KEY_FILE_EXISTS'
  | 'KEY_FILE_PERMISSIONS'
  | 'KEY_FILE_UNWRITABLE'
  | 'KEY_FILE_INVALID';

/** An error about keys. The message names the field and the rule and never contains key material. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
  /** Services print and log the message. */
  readonly forOperator = true;
  readonly code: KeyErrorCode;

  constructor(code: KeyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
