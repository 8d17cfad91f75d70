/** Counted records: all, those that are not visible, and those without an external timestamp. */
export type Counted = 'all' | 'hidden' | 'deleted' | 'untimestamped';

/** Counts records in ranges that are short enough to fit between two requests. */
export interface RecordCounts {
  /**
   * Counts the next range, in order of `seq`.
   * @param after the `seq` at which the previous range ended, 0 at first
   * @param upTo records beyond it are not counted
   * @returns the counts and the end of the range; null after the last one
   */
  range(what: Counted, after: number, upTo: number): Promise<{ readonly count: number; readonly end: number | null }>;
}
