import type { Migration } from './migration.js';

/** Alert conditions, and the messages to the endpoints of operators. */
export const alerts: Migration = {
  version: 16,
  up: (db) =>
    db.schema
      .createTable('alert_states', (table) => {
        table.text('type').notNullable();
        table.text('subject').notNullable();
        table.integer('firing').notNullable();
        table.bigInteger('changed_ms').notNullable();
        table.primary(['type', 'subject']);
      })
      .createTable('alert_deliveries', (table) => {
        table.bigIncrements('seq');
        table.text('delivery_id').notNullable().unique();
        table.text('endpoint').notNullable();
        table.text('type').notNullable();
        table.text('payload').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.text('state').notNullable();
        table.integer('attempts').notNullable();
        table.bigInteger('due_ms').notNullable();
        table.bigInteger('attempted_ms');
        table.text('result');
        table.index(['state', 'due_ms'], 'alert_deliveries_due');
      }),
};
