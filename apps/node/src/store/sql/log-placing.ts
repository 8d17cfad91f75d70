import { encodeHex } from '@cer/keys';
import type { Database, SqlStatement } from './database.js';
import type { PlacedLeaf } from '../ports/log.js';

// A leaf that was deleted before it had a place is erased as it gets one.
const ERASED_IF_DELETED = `
    digest = case when deleted_seq is null then digest end,
    seed = case when deleted_seq is null then seed end,
    label_json = case when deleted_seq is null then label_json end`;

const PLACE_ONE = `update log_leaves
  set log_id = $1, log_index = $2, number = $3, entry = $4, ${ERASED_IF_DELETED}
  where leaf_id = $5 and log_index is null`;

// One round trip for all leaves.
const PLACE_ALL = `update log_leaves
  set log_id = $1, log_index = placed.log_index, number = placed.number, entry = decode(placed.entry, 'hex'),
    ${ERASED_IF_DELETED}
  from (
    select * from jsonb_to_recordset(cast($2 as jsonb))
      as leaf (leaf_id bigint, log_index bigint, number bigint, entry text)
  ) as placed
  where log_leaves.leaf_id = placed.leaf_id and log_leaves.log_index is null
  returning log_leaves.leaf_id`;

/** The statements that give leaves their places; each leaf must still be without one. */
export function placeLeaves(
  dialect: Database['dialect'],
  logId: number,
  leaves: readonly PlacedLeaf[],
): readonly SqlStatement[] {
  if (leaves.length === 0) return [];
  if (dialect === 'sqlite') {
    return leaves.map(({ leafId, index, number, entry }) => ({
      sql: PLACE_ONE,
      values: [logId, index, number, entry, leafId],
      // Cheaper than a row to return.
      mustChange: 1,
    }));
  }
  const rows = leaves.map(({ leafId, index, number, entry }) => ({
    leaf_id: leafId,
    log_index: index,
    number,
    entry: encodeHex(entry),
  }));
  return [{ sql: PLACE_ALL, values: [logId, JSON.stringify(rows)], mustReturn: leaves.length }];
}
