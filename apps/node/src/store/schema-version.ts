import type { CompiledMigration, SqlRow } from './database.js';
import { StoreError } from './store-error.js';

/** Which steps a database has, and for each the oldest schema whose releases can still run beside it. */
export const SCHEMA_TABLES: readonly string[] = [
  'create table if not exists schema_versions (version integer primary key)',
  `create table if not exists schema_compatibility (version integer primary key, oldest_schema integer not null)`,
];

/** Reads the steps; needs both tables. */
export const APPLIED_STEPS = `
  select v.version, c.oldest_schema from schema_versions v
  left join schema_compatibility c on c.version = v.version order by v.version`;

/**
 * What a database still lacks. A database that is ahead is taken when each of its later steps says that this release
 * can live with it.
 * @param applied the answer to APPLIED_STEPS
 * @returns the version it is at (0 when empty) and the later migrations, in order
 * @throws StoreError STORE_SCHEMA_TOO_NEW
 */
export function pendingMigrations(
  applied: readonly SqlRow[],
  migrations: readonly CompiledMigration[],
): { readonly current: number; readonly pending: readonly CompiledMigration[] } {
  const current = Number(applied.at(-1)?.['version'] ?? 0);
  const known = migrations.at(-1)?.version ?? 0;
  const strange = applied.filter(({ version }) => Number(version) > known);
  if (!strange.every(({ oldest_schema: oldest }) => typeof oldest === 'number' && oldest <= known)) {
    throw new StoreError('STORE_SCHEMA_TOO_NEW', `the database is at schema ${current}, this release knows ${known}`);
  }
  return { current, pending: migrations.filter(({ version }) => version > current) };
}
