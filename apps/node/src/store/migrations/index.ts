import knex from 'knex';

import type { CompiledMigration, Database } from '../sql/database.js';
import { records } from './0001-records.js';
import { leases } from './0002-leases.js';
import { administration } from './0003-administration.js';
import { recordList } from './0004-record-list.js';
import { timestamps } from './0005-timestamps.js';
import { signingKeys } from './0006-signing-keys.js';
import { limits } from './0008-limits.js';
import { projectTimestamps } from './0010-project-timestamps.js';
import { usageReports } from './0011-usage-reports.js';
import { log } from './0012-log.js';
import { writeProbes } from './0013-write-probes.js';
import { storeMark } from './0014-store-mark.js';
import { recordFacts } from './0015-record-facts.js';
import { alerts } from './0016-alerts.js';
import { coverage } from './0017-coverage.js';
import { reviews } from './0018-reviews.js';
import { webhooks } from './0019-webhooks.js';
import { deliveryLists } from './0020-delivery-lists.js';
import { listColumns } from './0021-list-columns.js';
import { executionsById } from './0022-executions-by-id.js';
import type { Migration } from './migration.js';

/** In order of version. */
export const MIGRATIONS: readonly Migration[] = [
  records,
  leases,
  administration,
  recordList,
  timestamps,
  signingKeys,
  limits,
  projectTimestamps,
  usageReports,
  log,
  writeProbes,
  storeMark,
  recordFacts,
  alerts,
  coverage,
  reviews,
  webhooks,
  deliveryLists,
  listColumns,
  executionsById,
];

/** The first schema that was released. */
const OLDEST_SCHEMA = 1;

/** The schema steps as DDL of one dialect. Knex only builds the text here: it opens no connection. */
export function compiledMigrations(
  dialect: Database['dialect'],
  migrations: readonly Migration[],
): readonly CompiledMigration[] {
  const db = dialect === 'sqlite' ? knex({ client: 'better-sqlite3', useNullAsDefault: true }) : knex({ client: 'pg' });
  return migrations.map(({ version, oldestSchema, up }) => ({
    version,
    oldestSchema: oldestSchema ?? OLDEST_SCHEMA,
    sql: up(db, dialect).toQuery(),
  }));
}
