import knex from 'knex';

import type { CompiledMigration, Database } from '../database.js';
import { records } from './0001-records.js';
import { leases } from './0002-leases.js';
import { administration } from './0003-administration.js';
import type { Migration } from './migration.js';

/** In order of version. */
const MIGRATIONS: readonly Migration[] = [records, leases, administration];

/** The schema steps as DDL of one dialect. Knex only builds the text here: it opens no connection. */
export function compiledMigrations(dialect: Database['dialect']): readonly CompiledMigration[] {
  const db = dialect === 'sqlite' ? knex({ client: 'better-sqlite3', useNullAsDefault: true }) : knex({ client: 'pg' });
  return MIGRATIONS.map(({ version, up }) => ({ version, sql: up(db, dialect).toQuery() }));
}
