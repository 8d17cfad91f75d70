import { createWriteProbes, type Migration } from '@cer/sql-store';

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    up: (schema) =>
      schema
        // One row. No private key is in the database.
        .createTable('witness', (table) => {
          table.integer('id').primary();
          table.text('name').notNullable();
          table.text('public_key').notNullable();
          // Of the newest cosignature of any log, in seconds since 1970.
          table.bigInteger('last_time').notNullable();
        })
        .createTable('logs', (table) => {
          table.text('origin').primary();
          table.bigInteger('size').notNullable();
          table.text('root').notNullable();
          // Checkpoint, lines of the log and own line; null before the first cosignature.
          table.text('note');
        })
        .createTable('evidence', (table) => {
          table.increments('id');
          table.text('origin').notNullable();
          table.text('at').notNullable();
          table.bigInteger('size').notNullable();
          table.text('root').notNullable();
          table.text('note').notNullable();
          // The checkpoint that the witness had cosigned then; null for a fault that shows without it.
          table.text('known');
          table.unique(['origin', 'size', 'root']);
        }),
  },
  { version: 2, up: createWriteProbes },
];
