import type { Knex } from 'knex';

import type { Database } from '../sql/database.js';

/**
 * One step of the schema. Released steps are never edited; a change is a new step at the end.
 *
 * Nodes of two releases run on one database while a fleet is upgraded, so a step expands: it adds tables, columns that
 * are nullable or have a default, and indexes; an index that is not unique may give way to one that has its columns and
 * further ones. Obsolete parts are removed in a later release, when no node of the
 * earlier ones runs: such a step names in `oldestSchema` the first step whose releases are compatible with it.
 */
export interface Migration {
  readonly version: number;
  /**
   * The oldest schema whose releases can run with this step. Absent: all of them, because the step only adds.
   */
  readonly oldestSchema?: number;
  readonly up: (db: Knex, dialect: Database['dialect']) => Knex.SchemaBuilder;
}
