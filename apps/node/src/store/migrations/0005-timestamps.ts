import type { Migration } from './migration.js';

/*
 * Time of the external timestamp over a record's attestation; null until then. The partial index covers only records
 * without a timestamp, so that finding them is cheap for any number of records. SQLite needs `stamped_at` in it,
 * otherwise it reads the table in key order. PostgreSQL would read an index that starts with a constant column from its
 * beginning for every page.
 */
export const timestamps: Migration = {
  version: 5,
  up: (db, dialect) =>
    db.schema.raw('alter table records add column stamped_at text').raw(
      `create index records_unstamped on records (${dialect === 'sqlite' ? 'stamped_at, seq' : 'seq'})
         where stamped_at is null and visibility <> 'deleted'`,
    ),
};
