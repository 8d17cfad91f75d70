/** The content of a saved page. Its keys count only once the person confirms a fingerprint. */
export interface SavedRecord {
  readonly hash: string;
  readonly record: string;
  readonly keySet: string;
  /** Null where the node published none. */
  readonly keyHistory: string | null;
}
