/** A count of the database, which only grows. */
export interface Mark {
  readonly count: number;
  /** When it was made: UTC with milliseconds. */
  readonly at: string;
}

/** Lets nodes notice that the database was replaced by an earlier state of it. */
export interface StoreMark {
  read(): Promise<Mark>;
  /**
   * Adds one to a count that is at least `seen`.
   * @returns the new mark, durable; null for a lower count, which stays as it is
   */
  grow(at: string, seen: number): Promise<Mark | null>;
  /** Adds `by` to the count, and to a floor when the count is below it. @returns the new mark, durable */
  advance(at: string, by: number, floor: number): Promise<Mark>;
}
