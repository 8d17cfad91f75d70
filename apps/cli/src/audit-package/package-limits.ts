/** Limits for one entry and for all of them together. */
export interface PackageLimits {
  readonly entries: number;
  /** Bytes, not compressed, of all entries. */
  readonly totalBytes: number;
}

export const DEFAULT_LIMITS: PackageLimits = { entries: 100_000, totalBytes: 32 * 1024 ** 3 };
