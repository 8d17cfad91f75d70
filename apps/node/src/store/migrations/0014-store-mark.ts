import type { Migration } from './migration.js';

/** How often nodes marked the growth of this database: a restored backup has a lower count than the nodes' files. */
export const storeMark: Migration = {
  version: 14,
  up: (db) =>
    db.schema
      .createTable('store_mark', (table) => {
        table.integer('mark_id').primary();
        table.bigInteger('count').notNullable();
        table.text('at').notNullable();
      })
      .raw("insert into store_mark (mark_id, count, at) values (1, 0, '1970-01-01T00:00:00.000Z')"),
};
