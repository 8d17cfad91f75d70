import { StoreError, type StoreErrorCode } from '@cer/sql-store/store-error';

export { StoreError };

const NOTHING_WRITTEN: ReadonlySet<StoreErrorCode> = new Set([
  'STORE_BUSY',
  'STORE_CLOSED',
  'STORE_CONDITION_FAILED',
  'STORE_CONTENDED',
  'STORE_ROW_REFUSED',
]);

/** Whether a call that failed certainly wrote nothing. A database that became unavailable may have committed first. */
export function wroteNothing(error: unknown): boolean {
  return error instanceof StoreError && NOTHING_WRITTEN.has(error.code);
}

/** The last write failed, and so did a probe, or it met damage. The message is public: it names the resource only. */
export class StoreUnwritableError extends StoreError {
  override readonly name = 'StoreUnwritableError';

  constructor(reason: 'the disk is full' | 'cannot be written' | 'is damaged') {
    super('STORE_UNAVAILABLE', reason);
  }
}

/** The database is older than this machine's mark of it. The message is public. */
export class StoreRestoredError extends StoreError {
  override readonly name = 'StoreRestoredError';

  constructor() {
    super('STORE_UNAVAILABLE', 'is older than this node has seen: an operator must accept the restore');
  }
}

/** The queue of the group commit is full. Nothing was stored; the call may be retried. */
export class StoreBusyError extends StoreError {
  override readonly name = 'StoreBusyError';
  /** Recommended wait, in whole seconds. */
  readonly retryAfterSeconds = 1;

  constructor() {
    super('STORE_BUSY', 'too many records wait for their commit');
  }
}
