import type { SqlValue } from '../sql/database.js';
import type { NewRecord } from '../ports/records.js';
import { columnNames, EXECUTION_COLUMNS, RECORD_COLUMNS } from '../sql/record-rows.js';
import { firstVisibility } from '../sql/first-visibility.js';

const COLUMNS = new Map([...RECORD_COLUMNS, ...EXECUTION_COLUMNS]);
const NAMES = [...COLUMNS.keys()];
const RECORD_NAMES = columnNames(RECORD_COLUMNS);
const EXECUTION_NAMES = columnNames(EXECUTION_COLUMNS);

// One array per column, so that batches of all sizes share one statement text.
const INPUT = `unnest(${NAMES.map((_, index) => `$${index + 1}::text[]`).join(', ')})
    with ordinality as input (${NAMES.join(', ')}, position)`;

/**
 * Claims each executionId and stores the record of each claimed one in one statement: one round trip, one atomic
 * commit. A conflict with an open transaction waits for its end. A record whose hash exists under another executionId
 * fails the statement. Returns the positions (from 1) of the inserted rows.
 */
export const INSERT_EXECUTIONS = `
  with input as (select * from ${INPUT}),
  claimed as (
    insert into executions (${EXECUTION_NAMES.join(', ')})
    select ${EXECUTION_NAMES.join(', ')} from input order by position
    on conflict (tenant_id, execution_id) do nothing
    returning tenant_id, execution_id
  ),
  mine as (
    select input.* from input
    join claimed on claimed.tenant_id = input.tenant_id and claimed.execution_id = input.execution_id
  ),
  kept as (
    insert into records (${RECORD_NAMES.join(', ')}, visibility)
    select ${RECORD_NAMES.join(', ')}, ${firstVisibility('mine.tenant_id')} from mine order by position
  )
  select cast(position as integer) as position from mine`;

/** The same for records without an executionId, unique by their hash alone. */
export const INSERT_UNCLAIMED = `
  with input as (select * from ${INPUT}),
  kept as (
    insert into records (${RECORD_NAMES.join(', ')}, visibility)
    select ${RECORD_NAMES.join(', ')}, ${firstVisibility('input.tenant_id')} from input order by position
    on conflict (certificate_hash, kind, tenant_id) do nothing
    returning certificate_hash, kind, tenant_id
  )
  select cast(position as integer) as position from input
  join kept on kept.certificate_hash = input.certificate_hash and kept.kind = input.kind
    and kept.tenant_id = input.tenant_id`;

/** The parameters of both statements: for each column the values of all records. */
export function columnArrays(records: readonly NewRecord[]): SqlValue[][] {
  return [...COLUMNS.values()].map((valueOf) => records.map(valueOf));
}
