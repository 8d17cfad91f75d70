import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import Sqlite from 'better-sqlite3';

import { driverCodeOf, StoreError } from '../ports/store-error.js';

/** What must never go back: compared before and after, it shows whether a copy is the newest there was. */
export interface DatabaseMarks {
  readonly schemaVersion: number;
  readonly records: number;
  /** `attestedAt` of the record that was kept last; null without records. */
  readonly newestAttestedAt: string | null;
  /** The end of the audit log; null while nothing is in it. */
  readonly auditHead: { readonly seq: number; readonly hash: string } | null;
  /** The number of the newest change of keys; 0 for none. */
  readonly keyHistorySeq: number;
}

/**
 * Copies a database file as it is at one moment, also while nodes write to it: none of them waits, and content that was
 * deleted before is not in the copy. The copy appears whole and checked, or not at all.
 * @param from a database of this node, at whatever schema; it is read only
 * @param to where nothing is yet
 * @throws StoreError STORE_UNAVAILABLE with what to do
 */
export function copyDatabase(from: string, to: string): DatabaseMarks {
  if (!existsSync(from)) throw refusal(`${from}: there is no such file`);
  const taken = [to, `${to}-wal`, `${to}-shm`].find((path) => existsSync(path));
  if (taken !== undefined) throw refusal(`${taken} exists already, and nothing is overwritten: move it away`);
  const draft = `${to}.part`;
  try {
    // Readable by its owner only, before anything is in it.
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
 * The control plane takes a report that has the name of an earlier one for the same. Served, the copy would give the
 * numbers of the records that it lacks to others, so it names its reports anew, and reports nothing that it was made with.
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
    throw refusal('this is no database of a node: nothing was kept');
  const newest = one('select attested_at from records order by seq desc limit 1')?.['attested_at'];
  // Databases of earlier releases are copied before they are brought up to date.
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

/** Makes a file, or the names in a folder, survive a power cut. */
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
