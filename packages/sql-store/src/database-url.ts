/** The two kinds of database. */
export type Dialect = 'sqlite' | 'postgres';

/** A parsed database URL: an SQLite file or a PostgreSQL database. */
export type DatabaseLocation =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string };

/** The rule for `DATABASE_URL`, as error messages give it. */
export const DATABASE_URL_RULE = 'must be sqlite:PATH or postgres://...';

/** Whether a text is `sqlite:PATH`, not in memory, or `postgres://...`. */
export function isDatabaseUrl(text: string): boolean {
  return locationOf(text) !== undefined;
}

/** @returns undefined for a text that is not a database URL */
export function locationOf(text: string): DatabaseLocation | undefined {
  const path = /^sqlite:(?!:memory:)(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return { dialect: 'sqlite', path };
  return /^postgres(ql)?:\/\//.test(text) ? { dialect: 'postgres', url: text } : undefined;
}
