import type { Knex } from 'knex';

import type { Database } from '../sql/database.js';
import type { Migration } from './migration.js';

/** The signing keys, shared by all nodes of the database, and the history of their status. */
export const signingKeys: Migration = {
  version: 6,
  up: (db, dialect) => appendOnly(dialect, withTables(db)),
};

function withTables(db: Knex): Knex.SchemaBuilder {
  return (
    db.schema
      .createTable('signing_keys', (table) => {
        table.bigIncrements('seq');
        table.text('kid').notNullable().unique();
        table.text('public_key').notNullable();
        table.text('status').notNullable();
        table.text('created_at').notNullable();
        table.text('not_before').notNullable();
        table.text('retired_at');
        table.text('revoked_at');
        table.text('compromised_since');
        table.text('revocation_reason');
        table.text('context_unprotected_before');
        table.text('holder').notNullable();
        // The sealed private key, or its location in a hardware module; null once erased.
        table.text('held_reference');
      })
      // The key with which each process signs: a key retires when no process uses it.
      .createTable('signing_nodes', (table) => {
        table.text('instance_id').primary();
        // Null until the process has read the key table.
        table.text('kid');
        table.text('last_signed_at');
        table.bigInteger('seen_ms').notNullable();
      })
      // The primary key serializes changes: of two that saw the same head, one finds its seq taken.
      .createTable('key_history', (table) => {
        table.integer('seq').primary();
        table.text('entry_json').notNullable();
      })
      .createTable('key_set_statements', (table) => {
        table.integer('version').primary();
        table.text('statement_json').notNullable();
        table.text('signatures_json').notNullable();
      })
  );
}

const REFUSAL = 'the key history is append-only';

/** Published key history entries are immutable. */
function appendOnly(dialect: Database['dialect'], schema: Knex.SchemaBuilder): Knex.SchemaBuilder {
  if (dialect === 'sqlite') {
    for (const act of ['update', 'delete']) {
      schema.raw(
        `create trigger key_history_no_${act} before ${act} on key_history
         begin select raise(abort, '${REFUSAL}'); end`,
      );
    }
    return schema;
  }
  return schema
    .raw(
      `create function key_history_refuse() returns trigger language plpgsql as
       $$ begin raise exception '${REFUSAL}'; end $$`,
    )
    .raw(
      `create trigger key_history_append_only before update or delete on key_history
       for each row execute function key_history_refuse()`,
    )
    .raw(
      `create trigger key_history_keep before truncate on key_history
       for each statement execute function key_history_refuse()`,
    );
}
