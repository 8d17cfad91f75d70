import type { Knex } from 'knex';

import type { Database } from '../sql/database.js';
import type { Migration } from './migration.js';

/** Administration: the audit log, settings of tenants, legal holds. */
export const administration: Migration = {
  version: 3,
  up: (db, dialect) =>
    appendOnly(dialect, withTables(db)).raw(
      // Finds a tenant's oldest projects without reading deleted ones.
      `create index projects_retention on projects (tenant_id, registered_at, seq) where visibility <> 'deleted'`,
    ),
};

function withTables(db: Knex): Knex.SchemaBuilder {
  return (
    db.schema
      .createTable('audit_entries', (table) => {
        table.bigInteger('seq').primary();
        table.text('entry_json').notNullable();
        table.text('hash').notNullable();
        table.text('kid').notNullable();
        table.text('signature').notNullable();
      })
      // Null: not set by this source. One row for the administrator's settings, one for the latest from the control
      // plane.
      .createTable('tenant_settings', (table) => {
        table.text('tenant_id').notNullable();
        table.text('source').notNullable();
        table.text('publish_json');
        table.integer('retention_days');
        table.text('visibility');
        table.integer('legal_hold').notNullable().defaultTo(0);
        table.text('updated_at').notNullable();
        table.primary(['tenant_id', 'source']);
      })
      // The hash of a certificate, a reseal or a project; tenant_id '' means all tenants.
      .createTable('legal_holds', (table) => {
        table.text('hash').notNullable();
        table.text('tenant_id').notNullable();
        table.text('placed_at').notNullable();
        table.primary(['hash', 'tenant_id']);
      })
  );
}

const REFUSAL = 'the audit log is append-only';

/** Rows of the audit log are immutable: the chain would reveal a change, and the database refuses it. */
function appendOnly(dialect: Database['dialect'], schema: Knex.SchemaBuilder): Knex.SchemaBuilder {
  if (dialect === 'sqlite') {
    for (const act of ['update', 'delete']) {
      schema.raw(
        `create trigger audit_entries_no_${act} before ${act} on audit_entries
         begin select raise(abort, '${REFUSAL}'); end`,
      );
    }
    return schema;
  }
  return schema
    .raw(
      `create function audit_entries_refuse() returns trigger language plpgsql as
       $$ begin raise exception '${REFUSAL}'; end $$`,
    )
    .raw(
      `create trigger audit_entries_append_only before update or delete on audit_entries
       for each row execute function audit_entries_refuse()`,
    )
    .raw(
      `create trigger audit_entries_keep before truncate on audit_entries
       for each statement execute function audit_entries_refuse()`,
    );
}
