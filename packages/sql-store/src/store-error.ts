import { driverCodeOf, isExplained, notAvailable } from './driver-code.js';

/** Reason why a store operation failed. */
export type StoreErrorCode =
  /** Too many records wait for their commit; retry later. */
  | 'STORE_BUSY'
  /** The database cannot be reached, its disk is full, or it failed. */
  | 'STORE_UNAVAILABLE'
  /** Every attempt conflicted with other transactions. */
  | 'STORE_CONTENDED'
  /** The database, or the check before it, rejected this row; other rows are not affected. */
  | 'STORE_ROW_REFUSED'
  /** What a transaction depends on has changed since it was read; nothing was written. */
  | 'STORE_CONDITION_FAILED'
  /** The store was closed before this call. */
  | 'STORE_CLOSED'
  /** A newer, incompatible release migrated this database. */
  | 'STORE_SCHEMA_TOO_NEW'
  /** The database URL names neither an SQLite file nor a PostgreSQL database. */
  | 'STORE_URL_INVALID';

/**
 * An error of the store. Query builder and drivers quote rows in their messages, details and bindings, so none of their
 * errors is attached: the message contains the rule and at most the driver's code (an SQLSTATE or `SQLITE_...`).
 */
export class StoreError extends Error {
  /** Services print and log the message. */
  readonly forOperator = true;
  override readonly name: string = 'StoreError';
  readonly code: StoreErrorCode;
  /** An SQLSTATE, `SQLITE_...` or the system's code; null for a failure that the store itself found. */
  readonly driverCode: string | null;
  /** Whether the message says all, so that a log needs no stack. */
  readonly isExplained: boolean;

  constructor(code: StoreErrorCode, message: string, driverCode: string | null = null) {
    super(message);
    this.code = code;
    this.driverCode = driverCode;
    this.isExplained = isExplained(driverCode);
  }
}

/** Translates an error of the query builder or a driver, without its message. A StoreError is returned unchanged. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = driverCodeOf(error);
  // Data, constraint and size errors are caused by the row.
  return /^(22|23|54)...$|^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)/.test(code)
    ? new StoreError('STORE_ROW_REFUSED', `the database refused a row (${code})`, code)
    : new StoreError('STORE_UNAVAILABLE', notAvailable(code), code);
}

/**
 * Whether the database rolled work back because of concurrent work, so that the same work may succeed when repeated:
 * SQLite's write lock is taken, or a serialization failure or deadlock of PostgreSQL and of databases that speak its
 * protocol.
 */
export function isContention(error: unknown): boolean {
  return /^SQLITE_BUSY|^(40001|40P01)$/.test(driverCodeOf(error));
}
