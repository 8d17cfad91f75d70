import type { Migration } from './migration.js';

/** Up to which record the control plane was told what each account used. */
export const usageReports: Migration = {
  version: 11,
  up: (db, dialect) => {
    const random =
      dialect === 'sqlite' ? 'lower(hex(randomblob(16)))' : 'md5(random()::text || clock_timestamp()::text)';
    return (
      db.schema
        .createTable('usage_reports', (table) => {
          // Names the reports of this database, so that one that is sent again is known by its name.
          table.text('series').primary();
          table.bigInteger('reported').notNullable();
          // The end of the report that is under way: after a crash the same one is sent again.
          table.bigInteger('sending');
        })
        // What was there before is nobody's usage of today.
        .raw(`insert into usage_reports select ${random}, coalesce(max(seq), 0), null from records`)
    );
  },
};
