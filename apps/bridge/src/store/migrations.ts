import { createWriteProbes, type Migration } from '@cer/sql-store';

/*
 * Times are ISO 8601 in UTC with milliseconds, so that their order as text is their order in time. No API key and no
 * content of an execution is ever in here; of a session's token only its SHA-256.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    up: (schema) =>
      schema
        .createTable('consumed_tokens', (table) => {
          table.text('issuer').notNullable();
          table.text('jti').notNullable();
          table.text('expires_at').notNullable().index('consumed_tokens_expiry');
          table.primary(['issuer', 'jti']);
        })
        .createTable('sessions', (table) => {
          table.text('token_hash').primary();
          table.text('tenant_id').notNullable();
          table.text('tenant_name').notNullable();
          table.text('user_id').notNullable();
          table.text('user_email').notNullable();
          table.text('user_name').notNullable();
          table.text('created_at').notNullable();
          table.text('last_seen_at').notNullable();
          table.text('checked_at').notNullable();
          table.text('expires_at').notNullable().index('sessions_expiry');
        })
        .createTable('ingests', (table) => {
          table.bigIncrements('seq');
          table.text('tenant_id').notNullable();
          table.text('at').notNullable().index('ingests_at');
          table.text('door').notNullable();
          table.text('outcome').notNullable();
          table.integer('status').notNullable();
          table.text('execution_id');
          table.text('provider');
          table.text('model');
          table.text('certificate_hash');
          table.text('submitted_hash');
          table.text('verification_url');
          table.text('reason');
          table.index(['tenant_id', 'outcome', 'seq'], 'ingests_tenant');
        })
        .createTable('ingest_minutes', (table) => {
          table.text('tenant_id').notNullable();
          table.text('minute').notNullable();
          table.bigInteger('certified').notNullable();
          table.bigInteger('refused').notNullable();
          table.primary(['tenant_id', 'minute']);
        })
        .createTable('request_minutes', (table) => {
          table.text('tenant_id').notNullable();
          table.text('minute').notNullable();
          table.bigInteger('count').notNullable();
          table.primary(['tenant_id', 'minute']);
        })
        // Certified bundles of the calls of traces.
        .createTable('trace_steps', (table) => {
          table.text('tenant_id').notNullable();
          table.text('trace_id').notNullable();
          table.text('span_id').notNullable();
          table.text('parent_span_id');
          table.text('started_at').notNullable();
          table.text('bundle_json').notNullable();
          table.text('stored_at').notNullable().index('trace_steps_age');
          table.primary(['tenant_id', 'trace_id', 'span_id']);
        }),
  },
  {
    version: 2,
    up: (schema) =>
      // Root spans that have ended: calls of their traces that come later are sealed with what was there before.
      schema.createTable('trace_roots', (table) => {
        table.text('tenant_id').notNullable();
        table.text('trace_id').notNullable();
        table.text('started_at').notNullable();
        table.text('ended_at').notNullable();
        table.text('stored_at').notNullable().index('trace_roots_age');
        table.primary(['tenant_id', 'trace_id']);
      }),
  },
  {
    version: 3,
    up: (schema) =>
      schema.alterTable('ingests', (table) => {
        table.renameColumn('door', 'source');
      }),
  },
  { version: 4, up: createWriteProbes },
  {
    version: 5,
    up: (schema) =>
      schema.createTable('root_hours', (table) => {
        table.text('tenant_id').notNullable();
        table.text('hour').notNullable();
        table.bigInteger('count').notNullable();
        table.primary(['tenant_id', 'hour']);
      }),
  },
  {
    version: 6,
    up: (schema) =>
      schema.alterTable('sessions', (table) => {
        table.text('last_sign_out_at');
      }),
  },
];
