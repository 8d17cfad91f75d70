/** A database to test on, and a way to look into it that does not pass the store. */
export interface TestDatabase {
  readonly url: string;
  /** Runs one statement over a connection of its own. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly remove: () => Promise<void>;
}
