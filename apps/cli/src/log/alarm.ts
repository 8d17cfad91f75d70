/** The kinds of findings of a monitor. @see docs/for-auditors.md, "Watch the log" */
export type AlarmCode =
  /** Two trees of one log: the operator shows different histories. */
  | 'LOG_SPLIT_VIEW'
  /** A smaller log than was published before. */
  | 'LOG_ROLLED_BACK'
  /** A tile, entry or epoch that does not belong to the signed tree. */
  | 'LOG_CONTENT_INVALID'
  /** No fresh checkpoint. */
  | 'LOG_STALE'
  | 'LOG_MALFORMED'
  | 'LOG_UNKNOWN'
  | 'LOG_SIGNATURE_INVALID'
  | 'LOG_QUORUM_NOT_MET'
  /** Log or witness does not answer. */
  | 'LOG_UNAVAILABLE'
  | 'LOG_TENANT_FORK'
  | 'LOG_RECORD_UNLOGGED'
  | 'LOG_RECORD_MISSING'
  | 'LOG_BACKDATED'
  | 'LOG_RANGE_INVALID'
  | 'LOG_EPOCH_INVALID'
  | 'LOG_HEAD_INVALID'
  | 'LOG_TENANT_MISMATCH';

/** One alarm: one line of JSON on standard output. */
export interface Alarm {
  readonly code: AlarmCode;
  readonly origin: string;
  readonly detail: string;
  /** Signed notes that prove it to anyone. */
  readonly evidence?: readonly string[];
}
