import type { Migration } from './migration.js';

/*
 * The timestamps of a project's receipt; null until there is one. The index is like that for records in step 5.
 */
export const projectTimestamps: Migration = {
  version: 10,
  up: (db, dialect) =>
    db.schema.raw('alter table projects add column timestamps_json text').raw(
      `create index projects_unstamped on projects (${dialect === 'sqlite' ? 'timestamps_json, seq' : 'seq'})
         where timestamps_json is null and visibility <> 'deleted'`,
    ),
};
