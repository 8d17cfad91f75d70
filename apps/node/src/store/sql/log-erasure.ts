import type { SqlStatement } from './database.js';
import type { HeldKind } from '../ports/legal-holds.js';
import type { NewLeaf } from '../ports/log-leaves.js';

/** Whether the database ever had a log: without one, deletions have no leaves to erase. */
export interface LogState {
  hasLog: boolean;
}

/** The row that a leaf belongs to, of the same transaction: a condition with `$5` and following. */
export interface LeafOwner {
  readonly table: HeldKind;
  readonly condition: string;
  readonly values: SqlStatement['values'];
}

/** Stores a leaf for a row of the same transaction, once; none when there is no such row. */
export function leafOf(leaf: NewLeaf, { table, condition, values }: LeafOwner): SqlStatement {
  const { source, labelJson, digest, seed } = leaf;
  return {
    sql: `insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
      select tenant_id, $1, seq, $2, $3, $4 from ${table} where ${condition} and not exists (
        select 1 from log_leaves l where l.source = $1 and l.source_seq = ${table}.seq and l.digest = $3)`,
    values: [source, labelJson, digest, seed, ...values],
  };
}

const SOURCES: Readonly<Record<HeldKind, string>> = { records: `'record', 'reseal'`, projects: `'project'` };

/**
 * Follows the statements that delete rows, in their transaction: erases what opens their leaves. A leaf without a place
 * is only marked, and erased as it gets one.
 * @param deleted condition on the deleted rows, with `$2` and following
 */
export function eraseLeaves(
  kind: HeldKind,
  auditSeq: number,
  deleted: { readonly condition: string; readonly values: SqlStatement['values'] },
): readonly SqlStatement[] {
  return [
    {
      sql: `update log_leaves set deleted_seq = $1,
          digest = case when log_index is null then digest end,
          seed = case when log_index is null then seed end,
          label_json = case when log_index is null then label_json end
        where deleted_seq is null and source in (${SOURCES[kind]}) and source_seq in (
          select seq from ${kind} where visibility = 'deleted' and ${deleted.condition})`,
      values: [auditSeq, ...deleted.values],
    },
    {
      sql: `insert into log_deletions (audit_seq) select $1 where exists (
          select 1 from log_leaves where deleted_seq = $1)
        on conflict (audit_seq) do update set done = 0`,
      values: [auditSeq],
    },
  ];
}
