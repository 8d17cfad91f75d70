import { driverCodeOf, notAvailable } from './driver-code.js';

/** Why the store refused or failed. */
export type StoreErrorCode =
  /** The database cannot be reached, or stopped answering. */
  | 'STORE_UNAVAILABLE'
  /** The database refused a row: a constraint, or a text that it cannot hold. */
  | 'STORE_ROW_REFUSED'
  /** A newer release migrated this database; this release does not know its schema. */
  | 'STORE_SCHEMA_TOO_NEW'
  /** The database URL names neither an SQLite file nor a PostgreSQL database. */
  | 'STORE_URL_INVALID';

/**
 * A refusal or failure of the store. Query builder and drivers quote rows in their messages, so none of their errors is
 * attached as a cause: the message holds the rule and at most the driver's error code.
 */
export class StoreError extends Error {
  /** Services print and log the message. */
  readonly forOperator = true;
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Translates an error of the query builder or a driver, without its message. A StoreError is returned unchanged. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = driverCodeOf(error);
  // Data and constraint classes of SQLSTATE, and SQLite's constraints.
  return /^(22|23)|^SQLITE_CONSTRAINT/.test(code)
    ? new StoreError('STORE_ROW_REFUSED', `the database refused a row (${code})`)
    : new StoreError('STORE_UNAVAILABLE', notAvailable(code));
}

/**
 * Whether the database rolled work back because of concurrent work, so that the same work may succeed when repeated:
 * SQLite's write lock is taken, or a serialization failure or deadlock of PostgreSQL and of databases that speak its
 * protocol.
 */
export function isContention(error: unknown): boolean {
  return /^SQLITE_BUSY|^(40001|40P01)$/.test(driverCodeOf(error));
}
