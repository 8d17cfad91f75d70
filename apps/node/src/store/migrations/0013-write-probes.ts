import type { Migration } from './migration.js';

/** Rows that readiness writes and removes after a failed write. */
export const writeProbes: Migration = {
  version: 13,
  up: (db) =>
    db.schema.createTable('write_probes', (table) => {
      table.text('probe_id').primary();
      table.text('filler').notNullable();
    }),
};
