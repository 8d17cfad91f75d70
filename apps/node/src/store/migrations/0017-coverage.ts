import type { Migration } from './migration.js';

/** Producers' counts in `coverage_reports`, in the order of their columns. */
const COUNTS = ['seen', 'sealed', 'aborted', 'failed', 'truncated', 'skipped', 'unsealed', 'dropped', 'dead'] as const;

/*
 * Counts per account, day and application, so that reading them reads no records. An application of '' is none.
 * `coverage_position` is the last record that is in the counts.
 */
export const coverage: Migration = {
  version: 17,
  up: (db) =>
    db.schema
      .createTable('coverage_counts', (table) => {
        table.text('tenant_id').notNullable();
        table.text('day').notNullable();
        table.text('app_id').notNullable();
        // `certified`, `report` for a certificate of a producer's counts, or the code of a refusal.
        table.text('outcome').notNullable();
        table.bigInteger('count').notNullable();
        table.primary(['tenant_id', 'day', 'app_id', 'outcome']);
        table.index(['tenant_id', 'app_id'], 'coverage_counts_app');
      })
      // The newest report of each client of a producer on each day. Counts are since the start of the client.
      .createTable('coverage_reports', (table) => {
        table.text('tenant_id').notNullable();
        table.text('client_id').notNullable();
        table.text('day').notNullable();
        table.text('app_id').notNullable();
        table.bigInteger('report').notNullable();
        table.integer('is_last').notNullable();
        for (const name of [...COUNTS, 'open', 'waiting']) table.bigInteger(name).notNullable();
        table.primary(['tenant_id', 'client_id', 'day']);
        table.index(['tenant_id', 'day'], 'coverage_reports_day');
      })
      .createTable('coverage_position', (table) => {
        table.integer('position_id').primary();
        table.bigInteger('counted').notNullable();
      })
      .raw('insert into coverage_position (position_id, counted) values (1, 0)'),
};
