import type { Migration } from './migration.js';

/** The hash that a human review is about; null in every other record. */
export const reviews: Migration = {
  version: 18,
  up: (db) =>
    db.schema
      .raw('alter table records add column reviewed_hash text')
      .raw(`create index records_reviewed on records (reviewed_hash, tenant_id) where reviewed_hash is not null`),
};
