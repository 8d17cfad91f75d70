import type { Migration } from './migration.js';

/** Webhooks of tenants, without their secrets, and whose deliveries are: '' is the operator. */
export const webhooks: Migration = {
  version: 19,
  up: (db) =>
    db.schema
      .createTable('webhooks', (table) => {
        table.text('webhook_id').primary();
        table.text('tenant_id').notNullable().index('webhooks_tenant');
        table.text('url').notNullable();
        // A list of types as JSON; null: every type.
        table.text('types_json');
        table.text('secret_id').notNullable();
        table.integer('secret_version').notNullable();
        table.bigInteger('previous_until_ms').notNullable();
        table.bigInteger('created_ms').notNullable();
      })
      .raw("alter table alert_deliveries add column tenant_id text not null default ''")
      .raw('create index alert_deliveries_tenant on alert_deliveries (tenant_id, endpoint, seq)')
      .raw('create index coverage_reports_dead on coverage_reports (day) where dead > 0'),
};
