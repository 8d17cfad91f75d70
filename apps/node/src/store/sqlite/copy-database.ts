import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import Sqlite from 'better-sqlite3';

import { driverCodeOf, StoreError } from '../ports/store-error.js';

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
 * Makes a consistent copy of a database file, also while nodes write to it: they are not blocked, and deleted content
 * is not in the copy. The copy is verified and appears atomically.
 * @param from a database of this node, of any schema version; opened read-only
 * @param to a path that does not exist yet
 * @throws StoreError STORE_UNAVAILABLE with the remedy
 */
export function copyDatabase(from: string, to: string): DatabaseMarks {
  if (!existsSync(from)) throw refusal(`${from}: there is no such file`);
  const taken = [to, `${to}-wal`, `${to}-shm`].find((path) => existsSync(path));
  if (taken !== undefined) throw refusal(`${taken} exists already, and nothing is overwritten: move it away`);
  const draft = `${to}.part`;
  try {
    // Created with owner-only permissions before it has content.
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (error) {
    const code = driverCodeOf(error);
    const why =
      code === 'EEXIST'
        ? 'exists already: another copy is being made, or one was killed, and then remove it'
        : `cannot be written (${code})`;
    throw refusal(`${draft} ${why}`);
  }
  try {
    withFile(from, (file) => file.prepare('vacuum into ?').run(draft));
    const marks = withFile(draft, checkedMarks);
    beginNewUsageReports(draft);
    sync(draft);
    renameSync(draft, to);
    sync(dirname(to));
    return marks;
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof StoreError) throw error;
    const code = driverCodeOf(error);
    const why = code === 'SQLITE_FULL' || code === 'ENOSPC' ? `the disk is full, ${code}` : code;
    throw refusal(`${from} could not be copied (${why}): nothing was kept`);
  }
}

/**
 * The control plane treats a report with a known id as a repetition. A served copy would reuse the seqs of the records
 * that it lacks, so it gets new report ids and does not report its existing records.
 */
function beginNewUsageReports(path: string): void {
  const copy = new Sqlite(path, { fileMustExist: true });
  try {
    if (!hasTable(copy, 'usage_reports')) return;
    copy.exec(`update usage_reports set series = lower(hex(randomblob(16))), sending = null,
      reported = (select coalesce(max(seq), 0) from records)`);
  } finally {
    copy.close();
  }
}

function hasTable(file: Sqlite.Database, name: string): boolean {
  return file.prepare('select 1 from sqlite_master where name = ?').get(name) !== undefined;
}

function withFile<T>(path: string, work: (file: Sqlite.Database) => T): T {
  const file = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    return work(file);
  } finally {
    file.close();
  }
}

function checkedMarks(file: Sqlite.Database): DatabaseMarks {
  if (file.pragma('integrity_check(1)', { simple: true }) !== 'ok') {
    throw refusal('the copy is damaged, as the database it was made from may be: nothing was kept');
  }
  const one = (sql: string): Record<string, unknown> | undefined =>
    file.prepare<[], Record<string, unknown>>(sql).get();
  const figure = (sql: string): number => Number(one(sql)?.['figure'] ?? 0);
  if (!hasTable(file, 'schema_versions') || !hasTable(file, 'records'))
    throw refusal('this is not a database of a node: nothing was kept');
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

/** Syncs a file, or the entries of a folder, to survive a power cut. */
function sync(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function refusal(message: string): StoreError {
  return new StoreError('STORE_UNAVAILABLE', message);
}
