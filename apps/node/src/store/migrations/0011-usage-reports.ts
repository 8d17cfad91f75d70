import type { Migration } from './migration.js';

/** Position up to which usage was reported to the control plane. */
export const usageReports: Migration = {
  version: 11,
  up: (db, dialect) => {
    const random =
      dialect === 'sqlite' ? 'lower(hex(randomblob(16)))' : 'md5(random()::text || clock_timestamp()::text)';
    return (
      db.schema
        .createTable('usage_reports', (table) => {
          // Id prefix of this database's reports, by which the control plane recognizes a repeated report.
          table.text('series').primary();
          table.bigInteger('reported').notNullable();
          // The end of the pending report: after a crash the same report is sent again.
          table.bigInteger('sending');
        })
        // Records that exist before this step are not reported as usage.
        .raw(`insert into usage_reports select ${random}, coalesce(max(seq), 0), null from records`)
    );
  },
};
