import type { Knex } from 'knex';

import type { Database } from '../sql/database.js';
import type { Migration } from './migration.js';

/** The transparency log: its leaves, trees, epochs and checkpoints. Empty until a log begins. */
export const log: Migration = {
  version: 12,
  up: (db, dialect) => guarded(dialect, withIndexes(withTables(db))),
};

function withTables(db: Knex): Knex.SchemaBuilder {
  return (
    db.schema
      // Two rows for each log that an operator began: receipts and epochs.
      .createTable('log_keys', (table) => {
        table.integer('log_id').primary();
        table.text('origin').notNullable().unique();
        table.text('role').notNullable();
        table.text('since').notNullable();
        table.text('public_key').notNullable();
        table.text('holder').notNullable();
        table.text('held_reference').notNullable();
        table.text('closed_json');
      })
      .createTable('log_heads', (table) => {
        table.integer('log_id').primary();
        table.bigInteger('size').notNullable();
        // The roots of the complete subtrees, largest first, 32 bytes each.
        table.binary('frontier').notNullable();
        // Why no further head is made: LOG_ROLLED_BACK, LOG_FORK.
        table.text('halted');
      })
      // One for each signed receipt and each deletion. Content comes last and goes with its record.
      .createTable('log_leaves', (table) => {
        table.bigIncrements('leaf_id');
        table.text('tenant_id').notNullable();
        table.text('source').notNullable();
        table.bigInteger('source_seq').notNullable();
        table.integer('log_id');
        table.bigInteger('log_index');
        table.bigInteger('number');
        // seq of the audit entry of the deletion.
        table.bigInteger('deleted_seq');
        table.binary('entry');
        table.binary('digest');
        table.binary('seed');
        table.text('label_json');
        table.index(['source', 'source_seq'], 'log_leaves_source');
      })
      .createTable('log_trees', (table) => {
        table.bigIncrements('tree_id');
        table.integer('log_id').notNullable();
        table.text('tenant_id').notNullable();
        table.binary('tag').notNullable();
        table.bigInteger('size').notNullable();
        table.binary('frontier').notNullable();
        table.unique(['log_id', 'tenant_id'], { indexName: 'log_trees_tenant' });
      })
      // Full tiles of level 0 and the widest of each other level. The tree of a log has its log_id, negated.
      .createTable('log_tiles', (table) => {
        table.bigInteger('tree_id').notNullable();
        table.integer('level').notNullable();
        table.bigInteger('n').notNullable();
        table.binary('data').notNullable();
        table.primary(['tree_id', 'level', 'n']);
      })
      .createTable('log_notes', (table) => {
        table.integer('log_id').notNullable();
        table.bigInteger('size').notNullable();
        // With the line of the log only.
        table.text('note').notNullable();
        // With the witnesses of the first quorum, and of the newest one.
        table.text('published_note');
        table.text('fresh_note');
        table.bigInteger('published_ms');
        table.bigInteger('fresh_ms');
        table.primary(['log_id', 'size']);
      })
      .createTable('log_epochs', (table) => {
        table.integer('log_id').notNullable();
        table.bigInteger('epoch').notNullable();
        table.binary('entry').notNullable();
        table.text('to_time').notNullable();
        table.primary(['log_id', 'epoch']);
      })
      // The heads that an epoch changed.
      .createTable('log_epoch_heads', (table) => {
        table.integer('log_id').notNullable();
        table.text('tenant_id').notNullable();
        table.bigInteger('epoch').notNullable();
        table.binary('tag').notNullable();
        table.bigInteger('size').notNullable();
        table.binary('root').notNullable();
        table.primary(['log_id', 'tenant_id', 'epoch']);
      })
      .createTable('log_witnesses', (table) => {
        table.integer('log_id').notNullable();
        table.text('witness').notNullable();
        table.bigInteger('size').notNullable();
        table.primary(['log_id', 'witness']);
      })
      .createTable('log_deletions', (table) => {
        table.bigInteger('audit_seq').primary();
        table.integer('done').notNullable().defaultTo(0);
      })
      .createTable('log_statements', (table) => {
        table.integer('version').primary();
        table.text('statement_json').notNullable();
        table.text('signatures_json').notNullable();
      })
  );
}

function withIndexes(schema: Knex.SchemaBuilder): Knex.SchemaBuilder {
  return schema
    .raw('create unique index log_leaves_index on log_leaves (log_id, log_index) where log_index is not null')
    .raw('create unique index log_leaves_number on log_leaves (log_id, tenant_id, number) where number is not null')
    .raw('create index log_leaves_pending on log_leaves (leaf_id) where log_index is null')
    .raw('create index log_leaves_deleted on log_leaves (deleted_seq) where deleted_seq is not null')
    .raw('create index log_notes_published on log_notes (log_id, size) where published_ms is not null')
    .raw('create index log_deletions_open on log_deletions (audit_seq) where done = 0');
}

const REFUSAL = 'the log is append-only';

/** Columns that must not change once written, as a condition on `old` and `new`. */
const FROZEN: readonly (readonly [table: string, condition: string])[] = [
  [
    'log_leaves',
    `old.log_index is not null and (new.log_id <> old.log_id or new.log_index <> old.log_index
       or new.entry is null or new.entry <> old.entry or new.tenant_id <> old.tenant_id
       or new.log_id is null or new.log_index is null or coalesce(new.number, 0) <> coalesce(old.number, 0))`,
  ],
  [
    'log_tiles',
    `new.tree_id <> old.tree_id or new.level <> old.level or new.n <> old.n
       or substr(new.data, 1, length(old.data)) <> old.data`,
  ],
  [
    'log_notes',
    `new.log_id <> old.log_id or new.size <> old.size or new.note <> old.note
       or (old.published_note is not null and (new.published_note is null or new.published_note <> old.published_note))`,
  ],
  ['log_epochs', 'new.log_id <> old.log_id or new.epoch <> old.epoch or new.entry <> old.entry'],
];

/** The database refuses to change published rows of the log. */
function guarded(dialect: Database['dialect'], schema: Knex.SchemaBuilder): Knex.SchemaBuilder {
  if (dialect === 'sqlite') {
    for (const [table, condition] of FROZEN) {
      schema
        .raw(
          `create trigger ${table}_frozen before update on ${table} when ${condition}
           begin select raise(abort, '${REFUSAL}'); end`,
        )
        .raw(
          `create trigger ${table}_no_delete before delete on ${table}
           begin select raise(abort, '${REFUSAL}'); end`,
        );
    }
    return schema;
  }
  schema.raw(
    `create function log_refuse() returns trigger language plpgsql as $$ begin raise exception '${REFUSAL}'; end $$`,
  );
  for (const [table, condition] of FROZEN) {
    schema
      .raw(
        `create trigger ${table}_frozen before update on ${table} for each row when (${condition})
         execute function log_refuse()`,
      )
      .raw(`create trigger ${table}_no_delete before delete on ${table} for each row execute function log_refuse()`)
      .raw(`create trigger ${table}_keep before truncate on ${table} for each statement execute function log_refuse()`);
  }
  return schema;
}
