/** A record whose row lacks what its bundle says of provider and model. */
export interface UndescribedRecord {
  readonly seq: number;
  /** The stored bundle, or its public form; JSON text. */
  readonly json: string;
}

export interface DescribedRecord {
  readonly seq: number;
  readonly provider: string | null;
  readonly model: string | null;
  /** The hash that a human review is about; null in every other record. */
  readonly reviewedHash: string | null;
}

/** Rows of earlier releases, which lists by provider and model do not find until they are described. */
export interface RecordFacts {
  /** The first ones, at most 64 in memory. */
  undescribed(): Promise<readonly UndescribedRecord[]>;
  describe(records: readonly DescribedRecord[]): Promise<void>;
}
