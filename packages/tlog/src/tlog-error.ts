/** Why a text or an argument of the transparency log is refused. */
export type TlogErrorCode =
  /** A note, checkpoint, proof, vkey or opening of another form than its specification. */
  | 'MALFORMED'
  /** A policy that contradicts itself or its specification. */
  | 'POLICY_INVALID'
  /** A signature line of a known key that does not verify. */
  | 'SIGNATURE_INVALID';

/** A refusal of this package; the message names the part and the rule, never the value. */
export class TlogError extends Error {
  override readonly name = 'TlogError';
  readonly code: TlogErrorCode;

  constructor(code: TlogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function malformed(message: string, cause?: unknown): TlogError {
  return new TlogError('MALFORMED', message, cause === undefined ? undefined : { cause });
}
