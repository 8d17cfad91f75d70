/** Points that a key has spent in its current window, including this call. */
export interface TakenPoints {
  readonly taken: number;
  /** Milliseconds until the window ends and the count restarts. */
  readonly msLeft: number;
}

/**
 * Counts points by key in windows of one minute, each from its first point. On PostgreSQL all nodes of the database
 * share the count; on SQLite, and while PostgreSQL does not answer, each process counts separately. An unreachable
 * database is not an error.
 */
export interface RatePoints {
  take(key: string, points: number): Promise<TakenPoints>;
}
