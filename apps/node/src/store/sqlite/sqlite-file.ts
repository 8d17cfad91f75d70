import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

import Sqlite from 'better-sqlite3';

/** Maximum wait of a statement for another process's commit, in milliseconds. It blocks the event loop. */
const BUSY_TIMEOUT_MS = 5_000;

/** Maximum memory of the page cache. */
const CACHE_KIB = 64 * 1024;

/**
 * Opens a database file, created with mode 0600 in a folder of mode 0700 if missing. Pragmas with a measured reason, at
 * a million records. Hashes and execution ids are randomly distributed, so that each record dirties pages across the
 * file: small pages write a third of the bytes for a fifth more disk space. The cache fits the inner pages of every
 * index. `WalCheckpoint` moves the write-ahead log; a commit does so, and takes half a second, only where that failed until
 * the log had 512 MiB. `synchronous = FULL` because an acknowledged certificate must survive a power cut: NORMAL may lose
 * the last commits.
 */
export function openSqliteFile(path: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite would create it readable for all users; the -wal and -shm files inherit the mode of this one.
  closeSync(openSync(path, 'a', 0o600));
  const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  // Effective only before the first table is created.
  file.pragma('page_size = 4096');
  file.pragma('journal_mode = WAL');
  file.pragma('synchronous = FULL');
  file.pragma('wal_autocheckpoint = 131072');
  file.pragma(`cache_size = -${CACHE_KIB}`);
  file.pragma('secure_delete = ON');
  file.pragma('foreign_keys = ON');
  return file;
}

/** Another connection to a file that is open for writing. It never writes. */
export function openSqliteReader(path: string): Sqlite.Database {
  const file = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, readonly: true });
  file.pragma(`cache_size = -${CACHE_KIB}`);
  return file;
}
