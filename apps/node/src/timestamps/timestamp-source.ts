import type { Stamps } from './timestamp-digests.js';

/** Something with receipts that are to be stamped: where they are found, and how timestamps are written. */
export interface StampSource<Found extends { readonly seq: number }, Stamped> {
  /** Those without timestamps whose `seq` is above `after`, in order. */
  unstamped(after: number, limit: number): Promise<readonly Found[]>;
  /** SHA-256 digests of 32 bytes each. */
  digestsOf(found: Found): readonly Uint8Array[];
  /** @returns null when one of its receipts was not stamped */
  withStamps(found: Found, stamps: Stamps): Stamped | null;
  /** What was changed since it was read stays as it is. */
  keep(stamped: readonly Stamped[]): Promise<void>;
  /** Which one it is, for the log. */
  hashOf(found: Found): string;
}
