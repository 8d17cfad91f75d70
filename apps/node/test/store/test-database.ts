/** A test database with direct access. */
export interface TestDatabase {
  readonly url: string;
  /** Runs one statement over a separate connection. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly remove: () => Promise<void>;
}
