import type { DigestTimestamps } from './timestamp-digests.js';

/** A source of receipts to timestamp: finds them and stores their timestamps. */
export interface TimestampSource<Found extends { readonly seq: number }, Timestamped> {
  /** Items without timestamps whose `seq` is above `after`, in order. */
  untimestamped(after: number, limit: number): Promise<readonly Found[]>;
  /** SHA-256 digests of 32 bytes each. */
  digestsOf(found: Found): readonly Uint8Array[];
  /** @returns null when one of its receipts has no timestamp */
  withTimestamps(found: Found, timestamps: DigestTimestamps): Timestamped | null;
  /** Items changed since they were read are skipped. */
  keep(timestamped: readonly Timestamped[]): Promise<void>;
  /** Identifies an item in the log. */
  hashOf(found: Found): string;
}
