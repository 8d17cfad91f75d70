import type { Migration } from './migration.js';

/** Counters: executions per month, requests per window, and records that are not visible. */
export const limits: Migration = {
  version: 8,
  up: (db) =>
    db.schema
      .createTable('quota_months', (table) => {
        table.text('tenant_id').notNullable();
        // `2026-01`, in UTC.
        table.text('month').notNullable();
        table.bigInteger('used').notNullable();
        table.primary(['tenant_id', 'month']);
      })
      // The rate limiter's own layout.
      .createTable('rate_limits', (table) => {
        table.string('key', 255).primary();
        table.integer('points').notNullable().defaultTo(0);
        table.bigInteger('expire');
      })
      // Counted for the metrics in small ranges; the index omits visible records, which are nearly all.
      .raw(`create index records_withdrawn on records (visibility, seq) where visibility <> 'visible'`),
};
