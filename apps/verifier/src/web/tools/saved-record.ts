/** What a saved page carries. Its keys count only once the person confirms them. */
export interface SavedRecord {
  readonly hash: string;
  readonly record: string;
  readonly keySet: string;
}
