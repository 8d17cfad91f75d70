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

/** What an operator does about a code of the driver. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['3D000', 'DATABASE_URL names a database that does not exist. Create it, or correct the name'],
  ['28P01', 'the server refuses the password in DATABASE_URL. Correct it, or the password of the role'],
  ['28000', 'the server does not let the role in DATABASE_URL log in. Correct the name, or allow it in pg_hba.conf'],
  ['42501', 'the role in DATABASE_URL lacks a right. Grant it the tables of this database'],
  ['53300', 'the server has no connection left. Raise max_connections, or close other connections'],
  ['ECONNREFUSED', 'no server listens at the address in DATABASE_URL. Start the database, or correct host and port'],
  ['ENOTFOUND', 'the host in DATABASE_URL has no address. Correct its name'],
  ['53100', 'the disk of the server is full. Free space on it'],
  ['SQLITE_FULL', 'the disk is full. Free space on it, but keep the -wal file'],
  [
    'SQLITE_IOERR_WRITE',
    'the disk cannot be written. The log of the kernel says whether it failed or became read-only',
  ],
  ['EROFS', 'the disk is read-only. Make it writable; the log of the kernel says why it is not'],
  ['EACCES', 'this user may not write the file in DATABASE_URL. Correct its owner or mode, and those of its folder'],
  ['SQLITE_CANTOPEN', 'the file in DATABASE_URL cannot be opened. Check that its folder exists and may be written'],
]);

/** The message for a database that cannot be used. @param code as `driverCodeOf` returns it */
export function notAvailable(code: string): string {
  const advice = ADVICE.get(code);
  return `the database is not available (${code})${advice === undefined ? '' : `: ${advice}`}`;
}

/**
 * Whether the database rolled work back because of concurrent work, so that the same work may succeed when repeated:
 * SQLite's write lock is taken, or a serialization failure or deadlock of PostgreSQL and of databases that speak its
 * protocol.
 */
export function isContention(error: unknown): boolean {
  return /^SQLITE_BUSY|^(40001|40P01)$/.test(driverCodeOf(error));
}

/** The code of a driver's error: an SQLSTATE, `SQLITE_...` or `ECONNREFUSED`; never its message. */
export function driverCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'no code';
}
