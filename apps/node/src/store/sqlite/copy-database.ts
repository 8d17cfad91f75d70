import type Sqlite from 'better-sqlite3';
import { copySqliteFile, refusedCopy } from '@cer/sql-store/sqlite-copy';

/** Monotonic marks of a database: comparing them shows whether a copy is the newest. */
export interface DatabaseMarks {
  readonly schemaVersion: number;
  readonly records: number;
  /** `attestedAt` of the record stored last; null without records. */
  readonly newestAttestedAt: string | null;
  /** The head of the audit log; null for an empty log. */
  readonly auditHead: { readonly seq: number; readonly hash: string } | null;
  /** The seq of the newest key history entry; 0 for none. */
  readonly keyHistorySeq: number;
}

/**
 * Makes a consistent copy of a node's database file, also while nodes write to it.
 * @param from a database of this node, of any schema version; opened read-only
 * @param to a path that does not exist yet
 * @throws StoreError STORE_UNAVAILABLE with the remedy
 */
export function copyDatabase(from: string, to: string): DatabaseMarks {
  return copySqliteFile(from, to, (copy) => {
    const marks = marksOf(copy);
    beginNewUsageReports(copy);
    return marks;
  });
}

/**
 * The control plane treats a report with a known id as a repetition. A served copy would reuse the seqs of the records
 * that it lacks, so it gets new report ids and does not report its existing records.
 */
function beginNewUsageReports(copy: Sqlite.Database): void {
  if (!hasTable(copy, 'usage_reports')) return;
  copy.exec(`update usage_reports set series = lower(hex(randomblob(16))), sending = null,
    reported = (select coalesce(max(seq), 0) from records)`);
}

function hasTable(file: Sqlite.Database, name: string): boolean {
  return file.prepare('select 1 from sqlite_master where name = ?').get(name) !== undefined;
}

function marksOf(file: Sqlite.Database): DatabaseMarks {
  const one = (sql: string): Record<string, unknown> | undefined =>
    file.prepare<[], Record<string, unknown>>(sql).get();
  const figure = (sql: string): number => Number(one(sql)?.['figure'] ?? 0);
  if (!hasTable(file, 'schema_versions') || !hasTable(file, 'records'))
    throw refusedCopy('this is not a database of a node: nothing was kept');
  const newest = one('select attested_at from records order by seq desc limit 1')?.['attested_at'];
  // Databases of earlier releases are copied before migration.
  const head = hasTable(file, 'audit_entries')
    ? one('select seq, hash from audit_entries order by seq desc limit 1')
    : undefined;
  return {
    schemaVersion: figure('select max(version) as figure from schema_versions'),
    records: figure('select count(*) as figure from records'),
    newestAttestedAt: typeof newest === 'string' ? newest : null,
    auditHead: head === undefined ? null : { seq: Number(head['seq']), hash: String(head['hash']) },
    keyHistorySeq: hasTable(file, 'key_history') ? figure('select max(seq) as figure from key_history') : 0,
  };
}
