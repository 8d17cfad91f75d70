import { OperatorError } from '@cer/http-service/process';

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
 * An error of the store. Drivers quote rows in their messages, details and bindings, so a driver error is never
 * attached: the message contains the rule and at most the driver's code (an SQLSTATE or `SQLITE_...`).
 */
export class StoreError extends OperatorError {
  readonly code: StoreErrorCode;
  /** An SQLSTATE, `SQLITE_...` or the system's code; null for a failure that the store itself found. */
  readonly driverCode: string | null;

  constructor(code: StoreErrorCode, message: string, driverCode: string | null = null) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.driverCode = driverCode;
  }
}

/** The last write failed, and so did a probe. The message is public: it names the resource only. */
export class StoreUnwritableError extends StoreError {
  constructor(isDiskFull: boolean) {
    super('STORE_UNAVAILABLE', isDiskFull ? 'the disk is full' : 'cannot be written');
    this.name = 'StoreUnwritableError';
  }
}

/** The database is older than this machine's mark of it. The message is public. */
export class StoreRestoredError extends StoreError {
  constructor() {
    super('STORE_UNAVAILABLE', 'is older than this node has seen: an operator must accept the restore');
    this.name = 'StoreRestoredError';
  }
}

/** The queue of the group commit is full. Nothing was stored; the call may be retried. */
export class StoreBusyError extends StoreError {
  /** Recommended wait, in whole seconds. */
  readonly retryAfterSeconds = 1;

  constructor() {
    super('STORE_BUSY', 'too many records wait for their commit');
    this.name = 'StoreBusyError';
  }
}
