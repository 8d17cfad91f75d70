import type { Knex } from 'knex';

import type { Database } from '../sql/database.js';
import type { Migration } from './migration.js';

/** The node's signing keys, which all nodes of the database share, and the history of what each was worth when. */
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
        // The private half, sealed, or where it is in a hardware module; null once it is erased.
        table.text('held_reference');
      })
      // With which key each process signs now: a key is retired when none does any more.
      .createTable('signing_nodes', (table) => {
        table.text('instance_id').primary();
        // Null while the process has yet to read which key signs.
        table.text('kid');
        table.text('last_signed_at');
        table.bigInteger('seen_ms').notNullable();
      })
      // The primary key is what lets one change at a time happen: of two that saw the same end, one finds its place taken.
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

/** What was published about a key stays as it was, whoever asks. */
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
