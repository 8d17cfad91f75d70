import type { Migration } from './migration.js';

/*
 * Tables with sorted lookups have a `seq`, which defines "earliest". Unique constraints start with the column of public
 * lookups (the hash), so that one index serves both. Contents come last, so that reading the columns before them costs
 * SQLite one page, however large they are.
 */
export const records: Migration = {
  version: 1,
  up: (db) =>
    db.schema
      .createTable('executions', (table) => {
        table.text('tenant_id').notNullable();
        table.text('execution_id').notNullable();
        table.text('certificate_hash').notNullable();
        table.text('bundle_created_at').notNullable();
        table.text('snapshot_timestamp').notNullable();
        table.text('commitment_secret_id');
        table.primary(['tenant_id', 'execution_id']);
      })
      .createTable('records', (table) => {
        table.bigIncrements('seq');
        table.text('tenant_id').notNullable();
        table.text('certificate_hash').notNullable();
        table.text('kind').notNullable();
        table.text('execution_id');
        table.text('bundle_type').notNullable();
        table.text('protocol_version');
        table.text('app_id');
        table.text('attestation_id').notNullable();
        table.text('attested_at').notNullable();
        table.text('kid').notNullable();
        table.text('request_id').notNullable();
        table.text('resealed_certificate_hash');
        table.text('visibility').notNullable().defaultTo('visible');
        table.text('bundle_json');
        table.text('meta_json');
        table.text('public_cer_json');
        table.unique(['certificate_hash', 'kind', 'tenant_id'], { indexName: 'records_hash' });
        table.index(['execution_id', 'seq'], 'records_execution', { predicate: db.whereNotNull('execution_id') });
        table.index(['resealed_certificate_hash'], 'records_reseal', {
          predicate: db.whereNotNull('resealed_certificate_hash'),
        });
      })
      // Read at every start: selecting distinct ids from all executions would read them all.
      .createTable('commitment_secrets', (table) => {
        table.text('commitment_secret_id').primary();
      })
      .createTable('projects', (table) => {
        table.bigIncrements('seq');
        table.text('tenant_id').notNullable();
        table.text('project_hash').notNullable();
        table.text('registered_at').notNullable();
        table.integer('total_steps').notNullable();
        table.text('project_json');
        table.text('step_hashes_json');
        table.text('receipt_json');
        table.text('signature').notNullable();
        table.text('kid').notNullable();
        table.text('request_id').notNullable();
        table.text('visibility').notNullable().defaultTo('visible');
        table.unique(['project_hash', 'tenant_id'], { indexName: 'projects_hash' });
      })
      .createTable('tenants', (table) => {
        table.text('tenant_id').primary();
        table.text('name').notNullable().unique();
        table.text('created_at').notNullable();
      })
      .createTable('api_keys', (table) => {
        table.bigIncrements('seq');
        table.text('key_id').notNullable().unique();
        table.text('tenant_id').notNullable().references('tenants.tenant_id');
        table.text('key_hash').notNullable().unique();
        table.text('prefix').notNullable();
        table.text('scopes_json').notNullable();
        table.text('created_at').notNullable();
        table.text('revoked_at');
        table.index(['tenant_id', 'seq'], 'api_keys_tenant');
      }),
};
