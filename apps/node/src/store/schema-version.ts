import type { CompiledMigration, SqlRow } from './database.js';
import { StoreError } from './store-error.js';

export const SCHEMA_TABLE = 'create table if not exists schema_versions (version integer primary key)';

/**
 * What a database still lacks.
 * @param row the answer to `select max(version) as version from schema_versions`
 * @returns the version it is at (0 when empty) and the later migrations, in order
 * @throws StoreError STORE_SCHEMA_TOO_NEW
 */
export function pendingMigrations(
  row: SqlRow | undefined,
  migrations: readonly CompiledMigration[],
): { readonly current: number; readonly pending: readonly CompiledMigration[] } {
  const current = typeof row?.['version'] === 'number' ? row['version'] : 0;
  const known = migrations.at(-1)?.version ?? 0;
  if (current > known) {
    throw new StoreError('STORE_SCHEMA_TOO_NEW', `the database is at schema ${current}, this release knows ${known}`);
  }
  return { current, pending: migrations.filter(({ version }) => version > current) };
}
