/** Why the store did not do what it was asked. */
export type StoreErrorCode =
  /** The database cannot be reached, or gave up. */
  | 'STORE_UNAVAILABLE'
  /** The database refused a row: a constraint, or a text no database takes. */
  | 'STORE_ROW_REFUSED'
  /** A newer release migrated this database; this one would not understand it. */
  | 'STORE_SCHEMA_TOO_NEW'
  /** The database URL names neither an SQLite file nor a PostgreSQL database. */
  | 'STORE_URL_INVALID';

/**
 * A refusal of the store. Query builder and drivers quote rows in their messages, so no error of theirs is ever
 * attached: the message holds the rule and at most the driver's own code.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What went wrong below the store, without its words. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = driverCodeOf(error);
  // Data and constraint classes of SQLSTATE, and SQLite's constraints.
  return /^(22|23)|^SQLITE_CONSTRAINT/.test(code)
    ? new StoreError('STORE_ROW_REFUSED', `the database refused a row (${code})`)
    : new StoreError('STORE_UNAVAILABLE', `the database is not available (${code})`);
}

/** The code of a driver's error: an SQLSTATE, `SQLITE_...`, `ECONNREFUSED`; never its words. */
export function driverCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'no code';
}
