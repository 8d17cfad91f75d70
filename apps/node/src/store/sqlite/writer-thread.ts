import { parentPort, workerData } from 'node:worker_threads';

import { storeErrorOf } from '@cer/sql-store/store-error';

import { SqliteDatabase } from './sqlite-database.js';
import type { FromWriter, ToWriter } from './threaded-database.js';

// The thread that has the writing connection of a SQLite file: commits, checkpoints and rewriting stop no event loop.

const path = String(workerData);
let opened: SqliteDatabase | null = null;

parentPort?.on('message', (asked: ToWriter) => void answer(asked));

async function answer(asked: ToWriter): Promise<void> {
  const send = (message: FromWriter): void => parentPort?.postMessage(message);
  try {
    send({ id: asked.id, result: await resultOf(asked) });
  } catch (error) {
    const { code, message, driverCode } = storeErrorOf(error);
    send({ id: asked.id, refused: { code, message, driverCode } });
  }
}

/** Nothing is awaited before the work, so that calls are done in their order. */
async function resultOf(asked: ToWriter): Promise<unknown> {
  if (asked.name === 'close') return opened?.close();
  // Opened by a call, which gets the error of a file that cannot be opened.
  const database = (opened ??= new SqliteDatabase(path));
  switch (asked.name) {
    case 'all':
      return database.all(...asked.args);
    case 'transact':
      return database.transact(...asked.args);
    case 'insertBatch':
      return database.insertBatch(...asked.args);
    case 'migrate':
      return database.migrate(...asked.args);
    case 'purgeErased':
      return database.purgeErased();
    case 'compact':
      return database.compact();
  }
}
