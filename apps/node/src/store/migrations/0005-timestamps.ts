import type { Migration } from './migration.js';

/*
 * When a time-stamping authority timestamped what was signed over a record; null until then. The index holds only what is
 * still to be timestamped, so that finding it costs nothing however many records there are. SQLite needs `stamped_at` in
 * it, or it would rather read the table in order of its keys. PostgreSQL would read an index that begins with a column
 * it takes as known from its start for every page.
 */
export const timestamps: Migration = {
  version: 5,
  up: (db, dialect) =>
    db.schema.raw('alter table records add column stamped_at text').raw(
      `create index records_unstamped on records (${dialect === 'sqlite' ? 'stamped_at, seq' : 'seq'})
         where stamped_at is null and visibility <> 'deleted'`,
    ),
};
