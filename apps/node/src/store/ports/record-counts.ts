/** Counted records: all, those that are not visible, and those without an external timestamp. */
export type Counted = 'all' | 'hidden' | 'deleted' | 'untimestamped';

/** Counts records in ranges that are short enough to stand between two requests. */
export interface RecordCounts {
  /**
   * Counts the next range, in order of `seq`.
   * @param after the `seq` where the range before ended, 0 at first
   * @param upTo records beyond it are not counted
   * @returns how many there are, and where the range ended; null when it was the last
   */
  range(what: Counted, after: number, upTo: number): Promise<{ readonly count: number; readonly end: number | null }>;
}
