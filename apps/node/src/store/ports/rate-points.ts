/** What a key has taken in its present window, this call included. */
export interface TakenPoints {
  readonly taken: number;
  /** When the window ends and the count begins again, in milliseconds from now. */
  readonly msLeft: number;
}

/**
 * Counts points by key in windows of one minute, each from its first point. On PostgreSQL all nodes of the database count
 * together; on SQLite, and as long as PostgreSQL does not answer, each process for itself. Never throws for that.
 */
export interface RatePoints {
  take(key: string, points: number): Promise<TakenPoints>;
}
