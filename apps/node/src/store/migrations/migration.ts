import type { Knex } from 'knex';

/** One step of the schema. Released steps are never edited; a change is a new step at the end. */
export interface Migration {
  readonly version: number;
  readonly up: (db: Knex) => Knex.SchemaBuilder;
}
