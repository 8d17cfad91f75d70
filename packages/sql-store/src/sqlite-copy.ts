import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { driverCodeOf } from './driver-code.js';
import { StoreError } from './store-error.js';

/**
 * Makes a consistent copy of a database file, also while services write to it: they are not blocked, and deleted content
 * is not in the copy. The copy is verified and appears atomically, readable by its owner only.
 * @param from a database file of any schema version; opened read-only
 * @param to a path that does not exist yet
 * @param finish reads and changes the copy before it appears
 * @returns what `finish` returned
 * @throws StoreError STORE_UNAVAILABLE with the remedy
 */
export function copySqliteFile<T>(from: string, to: string, finish: (copy: Sqlite.Database) => T): T {
  assertExists(from);
  const taken = [to, `${to}-wal`, `${to}-shm`].find((path) => existsSync(path));
  if (taken !== undefined) throw refusedCopy(`${taken} exists already, and is not overwritten: move it away`);
  const draft = `${to}.part`;
  createDraft(draft);
  try {
    withFile(from, { readonly: true }, (file) => file.prepare('vacuum into ?').run(draft));
    const result = withFile(draft, {}, (copy) => {
      if (copy.pragma('integrity_check(1)', { simple: true }) !== 'ok') {
        throw refusedCopy('the copy is damaged, as the database it was made from may be: nothing was kept');
      }
      return finish(copy);
    });
    sync(draft);
    renameSync(draft, to);
    sync(dirname(to));
    return result;
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof StoreError) throw error;
    const code = driverCodeOf(error);
    const said = (why: string): string => `${from} could not be copied (${why}): nothing was kept`;
    if (code === 'SQLITE_FULL' || code === 'ENOSPC') throw refusedCopy(said(`the disk is full, ${code}`));
    if (code !== 'SQLITE_CANTOPEN') throw refusedCopy(said(code));
    throw refusedCopy(`${said(`this user may not open it, or its -wal or -shm file, ${code}`)}. ${OWNER_REMEDY}`);
  }
}

const OWNER_REMEDY = 'Correct the owner or mode of these files and their folders';

/** Not by opening it: closing any descriptor of the file would end this process's locks on it. */
function assertExists(path: string): void {
  try {
    statSync(path);
  } catch (error) {
    const code = driverCodeOf(error);
    throw refusedCopy(
      code === 'EACCES'
        ? `${path} cannot be looked up by this user (${code}). ${OWNER_REMEDY}`
        : `${path}: there is no such file`,
    );
  }
}

/** The refusal of a copy. @param message for the operator */
export function refusedCopy(message: string): StoreError {
  return new StoreError('STORE_UNAVAILABLE', message);
}

/** Makes the file with owner-only permissions before it has content. */
function createDraft(draft: string): void {
  try {
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (error) {
    const code = driverCodeOf(error);
    const known: Readonly<Record<string, string>> = {
      EEXIST: 'exists already: another copy is being made, or one was killed, and then remove it',
      ENOENT: `cannot be written: there is no folder ${dirname(draft)}. Make it, mode 0700`,
    };
    throw refusedCopy(`${draft} ${known[code] ?? `cannot be written (${code})`}`);
  }
}

function withFile<T>(path: string, options: Sqlite.Options, work: (file: Sqlite.Database) => T): T {
  const file = new Sqlite(path, { ...options, fileMustExist: true });
  try {
    return work(file);
  } finally {
    file.close();
  }
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
