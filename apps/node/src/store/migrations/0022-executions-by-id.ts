import type { Migration } from './migration.js';

const COLUMNS =
  'tenant_id, execution_id, certificate_hash, bundle_created_at, snapshot_timestamp, commitment_secret_id';

/*
 * On SQLite the key of the executions starts with the execution's id, so that it also answers the public look-up by id,
 * and `records` needs no index of its own for it: each such index costs a record one random page. SQLite cannot change a
 * key, so the table is copied, in the order of its new key. PostgreSQL keeps both: a release that still uses the index of
 * `records` may run beside this one there. On SQLite such a release works as well, but reads all records for that look-up.
 */
export const executionsById: Migration = {
  version: 22,
  oldestSchema: 21,
  up: (db, dialect) =>
    dialect === 'postgres'
      ? db.schema
      : db.schema
          .createTable('executions_by_id', (table) => {
            table.text('execution_id').notNullable();
            table.text('tenant_id').notNullable();
            table.text('certificate_hash').notNullable();
            table.text('bundle_created_at').notNullable();
            table.text('snapshot_timestamp').notNullable();
            table.text('commitment_secret_id');
            table.primary(['execution_id', 'tenant_id']);
          })
          .raw(
            `insert into executions_by_id (${COLUMNS}) select ${COLUMNS} from executions order by execution_id, tenant_id`,
          )
          .raw('drop table executions')
          .raw('alter table executions_by_id rename to executions')
          .raw('drop index records_execution'),
};
