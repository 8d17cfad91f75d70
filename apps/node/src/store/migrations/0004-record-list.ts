import type { Migration } from './migration.js';

/*
 * Time of a record's first attestation: null while it has only one, so that the hot path does not write it. Both
 * indexes are sorted by time for each value of the preceding columns, so that a page with any filter is one range of a
 * few such runs.
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
