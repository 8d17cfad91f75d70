/** Why the store did not do what it was asked. */
export type StoreErrorCode =
  /** Too many records wait for their commit; ask again later. */
  | 'STORE_BUSY'
  /** The database cannot be reached, or its disk is full, or it gave up. */
  | 'STORE_UNAVAILABLE'
  /** Other transactions got in the way every time it was tried. */
  | 'STORE_CONTENDED'
  /** The database, or the gate before it, refused this one row; its neighbours are untouched. */
  | 'STORE_ROW_REFUSED'
  /** The store was closed before this call. */
  | 'STORE_CLOSED'
  /** A newer release migrated this database; this one would not understand it. */
  | 'STORE_SCHEMA_TOO_NEW'
  /** The database URL names neither an SQLite file nor a PostgreSQL database. */
  | 'STORE_URL_INVALID';

/**
 * A refusal of the store. Drivers quote rows in their messages, details and bindings, so no driver error is ever
 * attached: the message holds the rule and at most the driver's own code (an SQLSTATE or `SQLITE_...`).
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** The queue of the group commit is full. Nothing was stored; the same call may be made again. */
export class StoreBusyError extends StoreError {
  /** How long a caller should wait, in whole seconds. */
  readonly retryAfterSeconds = 1;

  constructor() {
    super('STORE_BUSY', 'too many records wait for their commit');
    this.name = 'StoreBusyError';
  }
}

/** The code of a driver's or the system's error: an SQLSTATE, `SQLITE_...`, `ECONNREFUSED`; never its words. */
export function driverCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'no code';
}
