import type { Migration } from './migration.js';

export const leases: Migration = {
  version: 2,
  up: (db) =>
    db.schema.createTable('leases', (table) => {
      table.text('name').primary();
      table.text('holder').notNullable();
      // Milliseconds since 1970 by the database's clock, which all nodes share.
      table.bigInteger('expires_ms').notNullable();
    }),
};
