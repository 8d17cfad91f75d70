import type { Migration } from './migration.js';

/*
 * When a time-stamping authority stamped what was signed over a record; null until then. The index holds only what is
 * still to be stamped, so that finding it costs nothing however many records there are.
 */
export const stamps: Migration = {
  version: 5,
  up: (db) =>
    db.schema.raw('alter table records add column stamped_at text').raw(
      `create index records_unstamped on records (stamped_at, seq)
         where stamped_at is null and visibility <> 'deleted'`,
    ),
};
