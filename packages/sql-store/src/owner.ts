/** For each service, a table of its first release that no other service has. */
const OWN_TABLES: readonly (readonly [string, string])[] = [
  ['records', 'the attestation node'],
  ['login_attempts', 'the dashboard'],
  ['consumed_tokens', 'the evidence bridge'],
  ['witness', 'the witness'],
];

/** The service whose tables a database has; null for none or for one that is not known. */
export async function ownerOf(hasTable: (table: string) => PromiseLike<boolean>): Promise<string | null> {
  for (const [table, service] of OWN_TABLES) if (await hasTable(table)) return service;
  return null;
}

/** Names the owner and what to do, at the end of a message about a database that may be another service's. */
export function ofOwner(owner: string | null): string {
  const tables = owner === null ? '' : `. It has the tables of ${owner}`;
  return `${tables}. Give each service its own database, in DATABASE_URL`;
}
