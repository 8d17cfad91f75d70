import type { Migration } from './migration.js';

/*
 * When a record was first attested: null while its first attestation is its only one, so nobody has to write it on the
 * hot path. Both indexes have one run of times for each value of the columns before, so whatever a list is filtered by,
 * its page is one stretch of a few such runs.
 */
export const recordList: Migration = {
  version: 4,
  up: (db) =>
    db.schema
      .raw('alter table records add column first_attested_at text')
      .raw(
        `create index records_list on records
           (tenant_id, bundle_type, visibility, coalesce(first_attested_at, attested_at), seq)`,
      )
      .raw(
        `create index records_list_app on records
           (tenant_id, app_id, bundle_type, visibility, coalesce(first_attested_at, attested_at), seq)
         where app_id is not null`,
      ),
};
