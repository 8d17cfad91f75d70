import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

import Sqlite from 'better-sqlite3';

/** How long a statement waits for another process's commit, in milliseconds. It blocks the event loop meanwhile. */
const BUSY_TIMEOUT_MS = 5_000;

/** At most so much memory for pages of the file. */
const CACHE_KIB = 64 * 1024;

/**
 * Opens a database file, made with mode 0600 in a folder of mode 0700 when there is none.
 * Pragmas with a measured reason, at a million records. Hashes and execution ids are spread at random, so that each record
 * dirties pages all over the file: small ones are a third of the bytes to write, for a fifth more disk. The cache holds
 * the inner pages of every index. A long write-ahead log keeps the checkpoint of all those pages out of most commits; a
 * longer one would stall the commit that has it for half a second. `synchronous = FULL` because an answered certificate must
 * survive a power cut: NORMAL may lose the last commits.
 */
export function openSqliteFile(path: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite would make it readable for all; its -wal and -shm files take the mode of this one.
  closeSync(openSync(path, 'a', 0o600));
  const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  // Takes effect only before the first table, so it comes first.
  file.pragma('page_size = 4096');
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.pragma('wal_autocheckpoint = 32768');
  file.pragma(`cache_size = -${CACHE_KIB}`);
  file.pragma('secure_delete = ON');
  file.pragma('foreign_keys = ON');
  return file;
}
