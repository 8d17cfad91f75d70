/** What is counted: every record, those that are not visible, and those without a timestamp of an authority. */
export type Counted = 'all' | 'hidden' | 'deleted' | 'unstamped';

/** Counts records in stretches that are short enough to stand between two requests. */
export interface RecordCensus {
  /**
   * Counts the next stretch, in order of `seq`.
   * @param after the `seq` where the stretch before ended, 0 at first
   * @param upTo records beyond it are left out
   * @returns how many there are, and where the stretch ended; null when it was the last
   */
  stretch(what: Counted, after: number, upTo: number): Promise<{ readonly count: number; readonly end: number | null }>;
}
