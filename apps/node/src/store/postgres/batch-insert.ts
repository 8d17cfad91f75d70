import { encodeHex } from '@cer/keys';
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

// The leaves of the log, one array per column after those of the records.
const LEAF_COLUMNS = ['integer', 'text', 'text', 'text', 'text'];
const LEAVES = `unnest(${LEAF_COLUMNS.map((type, index) => `$${NAMES.length + index + 1}::${type}[]`).join(', ')})
    with ordinality as leaf (record_position, source, label_json, digest, seed, leaf_position)`;

/** Stores the leaves of the records of `kept` in the same statement. */
const WITH_LEAVES = `
  , logged as (
    insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
    select kept.tenant_id, leaf.source, kept.seq, leaf.label_json, decode(leaf.digest, 'hex'), decode(leaf.seed, 'hex')
    from ${LEAVES}
    join input on input.position = leaf.record_position
    join kept on kept.certificate_hash = input.certificate_hash and kept.kind = input.kind
      and kept.tenant_id = input.tenant_id
    order by leaf.leaf_position
  )`;

/**
 * Claims each executionId and stores the record of each claimed one in one statement: one round trip, one atomic
 * commit. A conflict with an open transaction waits for its end. A record whose hash exists under another executionId
 * fails the statement. Returns the positions (from 1) of the inserted rows.
 */
const insertExecutions = (more: string): string => `
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
    returning seq, certificate_hash, kind, tenant_id
  )${more}
  select cast(position as integer) as position from mine`;

/** The same for records without an executionId, unique by their hash alone. */
const insertUnclaimed = (more: string): string => `
  with input as (select * from ${INPUT}),
  kept as (
    insert into records (${RECORD_NAMES.join(', ')}, visibility)
    select ${RECORD_NAMES.join(', ')}, ${firstVisibility('input.tenant_id')} from input order by position
    on conflict (certificate_hash, kind, tenant_id) do nothing
    returning seq, certificate_hash, kind, tenant_id
  )${more}
  select cast(position as integer) as position from input
  join kept on kept.certificate_hash = input.certificate_hash and kept.kind = input.kind
    and kept.tenant_id = input.tenant_id`;

const STATEMENTS = {
  executions: { plain: insertExecutions(''), logged: insertExecutions(WITH_LEAVES) },
  unclaimed: { plain: insertUnclaimed(''), logged: insertUnclaimed(WITH_LEAVES) },
};

/** The statement that stores these records, with their leaves when they have any, and its parameters. */
export function batchInsert(
  kind: keyof typeof STATEMENTS,
  records: readonly NewRecord[],
): { readonly sql: string; readonly values: readonly SqlValue[][] } {
  const values = [...COLUMNS.values()].map((valueOf) => records.map(valueOf));
  const leaves = records.flatMap((record, at) => (record.leaves ?? []).map((leaf) => ({ leaf, position: at + 1 })));
  if (leaves.length === 0) return { sql: STATEMENTS[kind].plain, values };
  const columns = [
    leaves.map(({ position }) => position),
    leaves.map(({ leaf }) => leaf.source),
    leaves.map(({ leaf }) => leaf.labelJson),
    leaves.map(({ leaf }) => encodeHex(leaf.digest)),
    leaves.map(({ leaf }) => encodeHex(leaf.seed)),
  ];
  return { sql: STATEMENTS[kind].logged, values: [...values, ...columns] };
}
