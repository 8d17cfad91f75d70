/** Closed set of faults in a response, a token or a root file. */
export type TimestampErrorCode =
  /** Larger than the limit for its kind. */
  | 'TIMESTAMP_TOO_LARGE'
  /** Not DER, or DER of another type. */
  | 'TIMESTAMP_MALFORMED'
  /** The authority refused the request. */
  | 'TIMESTAMP_REFUSED'
  /** A root file without a usable certificate. */
  | 'TIMESTAMP_ROOTS_INVALID';

/** The message names the member and the rule, never input bytes. */
export class TimestampError extends Error {
  override readonly name = 'TimestampError';
  readonly code: TimestampErrorCode;

  constructor(code: TimestampErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function malformed(rule: string): TimestampError {
  return new TimestampError('TIMESTAMP_MALFORMED', rule);
}
