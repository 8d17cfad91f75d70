/** A closed set: what can be wrong with bytes that should be a request, a response, a token or a root. */
export type TimestampErrorCode =
  /** Larger than anything of its kind is. */
  | 'TIMESTAMP_TOO_LARGE'
  /** Not DER, or DER of something else. */
  | 'TIMESTAMP_MALFORMED'
  /** The authority answered, and the answer is no. */
  | 'TIMESTAMP_REFUSED'
  /** A file of roots without a usable certificate. */
  | 'TIMESTAMP_ROOTS_INVALID';

/** The message names the member and the rule, never bytes of what was read. */
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
