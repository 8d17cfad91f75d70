import { parentPort, workerData } from 'node:worker_threads';

import Sqlite from 'better-sqlite3';

// The thread that moves a long write-ahead log into its database file, while other connections commit.

const path = String(workerData);

parentPort?.on('message', () => {
  moveLog();
  parentPort?.postMessage('ended');
});

/** Opens a connection each time, so that none is left when the database closes. */
function moveLog(): void {
  // No waiting: the last step would wait for readers of an old state with the lock that commits need.
  const file = new Sqlite(path, { timeout: 0, fileMustExist: true });
  try {
    // The second time moves what was committed during the first, which takes a tenth of a second.
    file.pragma('wal_checkpoint(PASSIVE)');
    file.pragma('wal_checkpoint(PASSIVE)');
    // After this the next commit writes to the beginning of the log. SQLite refuses it during a commit, and the next move
    // tries again.
    file.pragma('wal_checkpoint(RESTART)');
  } finally {
    file.close();
  }
}
