import type { SqlRow, SqlValue } from '../sql/database.js';
import type { NewRecord } from '../ports/records.js';
import { columnNames, EXECUTION_COLUMNS, RECORD_COLUMNS, type ColumnsOf } from '../sql/record-rows.js';
import { firstVisibility } from '../sql/first-visibility.js';
import { bytesArray, textArray } from './binary-array.js';

/** Runs a statement of the batch's transaction. */
export type Query = (sql: string, values: unknown[]) => Promise<readonly SqlRow[]>;

/** The transaction of a batch; `finish` runs its last statement, with the commit directly behind it. */
export interface Batch {
  readonly query: Query;
  readonly finish: Query;
}

/**
 * A setting that lasts until the end of the transaction, and the condition that it is set. A batch is sent before its begin
 * is answered; if that failed, each statement would be a transaction of its own.
 */
export const IN_TRANSACTION = {
  set: `set local cer.in_transaction = 'yes'`,
  condition: `current_setting('cer.in_transaction', true) = 'yes'`,
};

/**
 * The rows of a statement, one array parameter per column: batches of all sizes share one statement text. Every
 * statement inserts into one table, since some databases that speak PostgreSQL's protocol refuse more.
 */
function inputOf(columns: readonly string[], types: readonly string[] = []): string {
  const arrays = columns.map((_, index) => `$${index + 1}::${types[index] ?? 'text'}[]`);
  return `unnest(${arrays.join(', ')}) with ordinality as input (${columns.join(', ')}, position)`;
}

const EXECUTION_NAMES = columnNames(EXECUTION_COLUMNS);
const RECORD_NAMES = columnNames(RECORD_COLUMNS);

// A conflict with an open transaction waits for its end.
const CLAIM = `
  insert into executions (${EXECUTION_NAMES.join(', ')})
  select ${EXECUTION_NAMES.join(', ')} from ${inputOf(EXECUTION_NAMES)}
  where ${IN_TRANSACTION.condition} order by position
  on conflict (tenant_id, execution_id) do nothing
  returning tenant_id, execution_id`;

const KEEP = `
  insert into records (${RECORD_NAMES.join(', ')}, visibility)
  select ${RECORD_NAMES.join(', ')}, ${firstVisibility('input.tenant_id')}
  from ${inputOf(RECORD_NAMES)} where ${IN_TRANSACTION.condition} order by position`;
const KEPT = 'returning seq, certificate_hash, kind, tenant_id';
// A claimed execution's record must be new: its hash under another executionId fails the statement.
const KEEP_CLAIMED = `${KEEP} ${KEPT}`;
const KEEP_ONCE = `${KEEP} on conflict (certificate_hash, kind, tenant_id) do nothing ${KEPT}`;

const LEAF_NAMES = ['tenant_id', 'source', 'source_seq', 'label_json', 'digest', 'seed'];
const KEEP_LEAVES = `
  insert into log_leaves (${LEAF_NAMES.join(', ')})
  select ${LEAF_NAMES.join(', ')}
  from ${inputOf(LEAF_NAMES, ['text', 'text', 'bigint', 'text', 'bytea', 'bytea'])} order by position`;

/**
 * Claims each executionId, and stores the records of the claimed ones with their leaves.
 * @param records with an executionId, in an order that is the same for every batch
 * @returns the stored records
 */
export async function insertExecutions(batch: Batch, records: readonly NewRecord[]): Promise<readonly NewRecord[]> {
  const keyOf = (tenantId: unknown, executionId: unknown): string => JSON.stringify([tenantId, executionId]);
  const rows = await batch.query(CLAIM, arraysOf(EXECUTION_COLUMNS, records));
  const claimed = new Set(rows.map((row) => keyOf(row['tenant_id'], row['execution_id'])));
  const mine = records.filter(({ tenantId, executionId }) => claimed.has(keyOf(tenantId, executionId)));
  return mine.length === 0 ? [] : await keep(batch, KEEP_CLAIMED, mine);
}

/** Stores records without an executionId, unique by their hash alone. Otherwise like insertExecutions. */
export async function insertUnclaimed(batch: Batch, records: readonly NewRecord[]): Promise<readonly NewRecord[]> {
  return await keep(batch, KEEP_ONCE, records);
}

async function keep(batch: Batch, sql: string, records: readonly NewRecord[]): Promise<readonly NewRecord[]> {
  const query = records.some(({ leaves = [] }) => leaves.length > 0) ? batch.query : batch.finish;
  const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts);
  const seqs = new Map<string, unknown>();
  for (const row of await query(sql, arraysOf(RECORD_COLUMNS, records))) {
    seqs.set(keyOf(row['certificate_hash'], row['kind'], row['tenant_id']), row['seq']);
  }
  const kept = records.flatMap((record) => {
    const seq = seqs.get(keyOf(record.certificateHash, record.kind, record.tenantId));
    return seq === undefined ? [] : [{ record, seq }];
  });
  const leaves = kept.flatMap(({ record, seq }) =>
    (record.leaves ?? []).map((leaf) => ({ tenantId: record.tenantId, seq, leaf })),
  );
  if (leaves.length > 0) {
    await batch.finish(KEEP_LEAVES, [
      textArray(leaves.map(({ tenantId }) => tenantId)),
      textArray(leaves.map(({ leaf }) => leaf.source)),
      leaves.map(({ seq }) => seq),
      textArray(leaves.map(({ leaf }) => leaf.labelJson)),
      bytesArray(leaves.map(({ leaf }) => leaf.digest)),
      bytesArray(leaves.map(({ leaf }) => leaf.seed)),
    ]);
  }
  return kept.map(({ record }) => record);
}

function arraysOf<Row>(columns: ColumnsOf<Row>, rows: readonly Row[]): Buffer[] {
  return columns.map(([, valueOf]) => textArray(rows.map((row) => textOf(valueOf(row)))));
}

function textOf(value: SqlValue): string | null {
  if (value !== null && typeof value !== 'string') throw new TypeError('every column of a batch is text');
  return value;
}
