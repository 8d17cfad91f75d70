import type { CompiledMigration, SqlRow } from './database.js';
import { StoreError } from '../ports/store-error.js';

/** The applied steps, and for each the oldest schema whose releases can run with it. */
export const SCHEMA_TABLES: readonly string[] = [
  'create table if not exists schema_versions (version integer primary key)',
  `create table if not exists schema_compatibility (version integer primary key, oldest_schema integer not null)`,
];

/** Reads the steps; needs both tables. */
export const APPLIED_STEPS = `
  select v.version, c.oldest_schema from schema_versions v
  left join schema_compatibility c on c.version = v.version order by v.version`;

/** Which of both tables PostgreSQL has. */
export const PRESENT_TABLES = `
  select to_regclass('schema_versions')::text as versions, to_regclass('schema_compatibility')::text as compatibility`;

/** Reads the steps of a database without the second table: other services have only the first. */
export const STEPS_OF_OTHERS = 'select version, null as oldest_schema from schema_versions order by version';

/**
 * The missing steps, including earlier ones: one may have been written after a later one was applied. A newer database
 * is accepted if each step unknown to this release declares compatibility.
 * @param applied the result of APPLIED_STEPS
 * @returns the missing migrations, in order, and the resulting version (0 when empty)
 * @throws StoreError STORE_SCHEMA_TOO_NEW
 */
export function pendingMigrations(
  applied: readonly SqlRow[],
  migrations: readonly CompiledMigration[],
): { readonly version: number; readonly pending: readonly CompiledMigration[] } {
  const current = Number(applied.at(-1)?.['version'] ?? 0);
  const known = migrations.at(-1)?.version ?? 0;
  const steps = new Set(migrations.map(({ version }) => version));
  const strange = applied.filter(({ version }) => !steps.has(Number(version)));
  if (!strange.every(({ oldest_schema: oldest }) => typeof oldest === 'number' && oldest <= known)) {
    throw new StoreError(
      'STORE_SCHEMA_TOO_NEW',
      `the database is at schema ${current}, this release knows ${known}: a newer, incompatible release ran on it. Start that release, or restore the backup from before it. Or it is the database of another service`,
    );
  }
  const present = new Set(applied.map(({ version }) => Number(version)));
  return { version: Math.max(current, known), pending: migrations.filter(({ version }) => !present.has(version)) };
}
