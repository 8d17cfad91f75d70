import type { Knex } from 'knex';
import type { Database } from './database.js';
import { MIGRATIONS } from './migrations.js';
import { StoreError } from './store-error.js';

/** Any number will do, as long as every bridge takes the same one. */
const MIGRATION_LOCK = 4_300;

/**
 * Brings the schema up to date, under a lock, so that instances may start at once.
 * @returns the version the database is at now
 * @throws StoreError STORE_SCHEMA_TOO_NEW when a newer release was here
 */
export async function migrateDatabase(database: Database): Promise<number> {
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  return database.transaction(async (transaction) => {
    await lock(transaction, database.dialect);
    const current = await versionOf(transaction);
    if (current > known) {
      throw new StoreError('STORE_SCHEMA_TOO_NEW', `the database is at schema ${current}, this release knows ${known}`);
    }
    for (const { version, up } of MIGRATIONS.filter(({ version }) => version > current)) {
      await up(transaction.schema);
      await transaction('schema_versions').insert({ version });
    }
    return known;
  });
}

async function lock(transaction: Knex.Transaction, dialect: Database['dialect']): Promise<void> {
  if (dialect === 'postgres') await transaction.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
  await transaction.raw('create table if not exists schema_versions (version integer primary key)');
  // Takes SQLite's write lock even where the table was there already.
  await transaction.raw('delete from schema_versions where version < 0');
}

async function versionOf(transaction: Knex.Transaction): Promise<number> {
  const rows = await transaction<{ version: number }>('schema_versions').select('version');
  return Math.max(0, ...rows.map(({ version }) => version));
}
