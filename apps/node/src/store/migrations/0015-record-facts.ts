import type { Migration } from './migration.js';

/*
 * Provider and model of the described execution, and `described`: null until both were read from the record's bundle, as
 * in rows of earlier releases, which a worker describes later. Each list index is sorted by time for each value of the
 * columns before it. The columns after `seq` let a page of one index filter by those of the next without reading rows.
 * SQLite needs `described` in the index of what is left, otherwise it reads the table in key order.
 */
const RUN = 'bundle_type, visibility, coalesce(first_attested_at, attested_at), seq';

export const recordFacts: Migration = {
  version: 15,
  up: (db, dialect) =>
    db.schema
      .raw('alter table records add column provider text')
      .raw('alter table records add column model text')
      .raw('alter table records add column described text')
      .raw(
        `create index records_undescribed on records (${dialect === 'sqlite' ? 'described, seq' : 'seq'})
           where described is null and visibility <> 'deleted'`,
      )
      .raw(
        `create index records_list_model on records
           (tenant_id, model, ${RUN}, provider, protocol_version, app_id) where model is not null`,
      )
      .raw(
        `create index records_list_provider on records
           (tenant_id, provider, ${RUN}, protocol_version, app_id) where provider is not null`,
      )
      .raw(
        `create index records_list_protocol on records
           (tenant_id, protocol_version, ${RUN}, app_id) where protocol_version is not null`,
      )
      .raw(`create index records_list_stamped on records (tenant_id, ${RUN}, stamped_at) where stamped_at is not null`),
};
