/** A published checkpoint: the note with the lines of witnesses. */
export interface PublishedNote {
  readonly size: number;
  /** As it was published first, and with the newest cosignatures. */
  readonly note: string;
  readonly fresh: string;
  /** Milliseconds since 1970. */
  readonly publishedMs: number;
  readonly freshMs: number;
}

export interface StatementOfLog {
  readonly version: number;
  readonly statementJson: string;
  readonly signaturesJson: string;
}

/** Checkpoints, what witnesses know of them, and statements. */
export interface LogNoteStore {
  /** Stores a signed note, unless one of this size is stored. @returns the stored note */
  keep(logId: number, size: number, note: string): Promise<string>;
  /** The stored note of the largest size, published or not; null without one. */
  newest(logId: number): Promise<{ readonly size: number; readonly note: string } | null>;
  /** Publishes a stored note; a second call only refreshes its cosignatures. */
  publish(logId: number, size: number, note: string, atMs: number): Promise<void>;
  newestPublished(logId: number): Promise<PublishedNote | null>;
  /** The smallest published one above an index: the earliest that shows the leaf. */
  firstPublishedAbove(logId: number, index: number): Promise<PublishedNote | null>;
  /** The largest published one that does not reach an index. */
  lastPublishedUpTo(logId: number, index: number): Promise<PublishedNote | null>;

  /** The size that a witness cosigned last, by our own record; 0 without one. */
  witnessed(logId: number, witness: string): Promise<number>;
  noteWitnessed(logId: number, witness: string, size: number): Promise<void>;

  newestStatement(): Promise<StatementOfLog | null>;
  /** @returns false when a statement of this version exists */
  addStatement(statement: StatementOfLog): Promise<boolean>;
}
