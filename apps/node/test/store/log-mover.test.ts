import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import * as z from 'zod';

import { LogMover } from '../../src/store/sqlite/log-mover.js';
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.js';
import { WalCheckpoint } from '../../src/store/sqlite/wal-checkpoint.js';
import { WRITER_THREAD } from './writer-thread.js';

const LONG_LOG_PAGES = 50;
const PAGE_BYTES = 4096;
/** Between checks of the length, in ms. */
const TICK_MS = 1_000;

it('is left alone while its length cannot be read', () => {
  jest.useFakeTimers();
  const file = new Sqlite(':memory:');
  new WalCheckpoint(file, new LogMover(':memory:'));
  file.close();
  expect(() => {
    jest.advanceTimersByTime(3 * TICK_MS);
  }).not.toThrow();
  jest.useRealTimers();
});

describe('a long log of a SQLite file under load', () => {
  let file: Awaited<ReturnType<typeof sqliteTestDatabase>>;
  let database: SqliteDatabase;
  let rows = 0;

  function open(execArgv: readonly string[] = WRITER_THREAD.execArgv ?? []): void {
    database = new SqliteDatabase(file.path, undefined, { execArgv, longLogPages: LONG_LOG_PAGES });
  }

  beforeEach(async () => {
    file = await sqliteTestDatabase();
    rows = 0;
  });
  afterEach(async () => {
    await database.close();
    await file.remove();
  });

  const write = (): Promise<unknown> => {
    rows += 1;
    return database.all('insert into numbers values (?, ?) returning number', [rows, 'x'.repeat(3000)]);
  };
  /** The length of the log. */
  const pages = (): number => {
    const log = new Sqlite(file.path);
    const [state] = z.tuple([z.object({ log: z.number() })]).parse(log.pragma('wal_checkpoint(NOOP)'));
    log.close();
    return state.log;
  };
  const numbers = (): Promise<unknown> => database.all('select count(*) as count from numbers', []);

  /** Commits without a pause until the condition holds, which only a move of the log can bring about. */
  async function writeUntil(isReached: () => boolean): Promise<void> {
    await database.all('create table if not exists numbers (number integer, filler text)', []);
    while (!isReached()) {
      await write();
      await sleep(1);
    }
  }

  it('reaches the file by a thread, and then restarts', async () => {
    open();
    await writeUntil(() => pages() >= LONG_LOG_PAGES);
    await writeUntil(() => pages() < LONG_LOG_PAGES);
    expect(statSync(file.path).size).toBeGreaterThan((LONG_LOG_PAGES / 2) * PAGE_BYTES);
    expect(await numbers()).toEqual([{ count: rows }]);
  });

  it('is complete in the file when it is closed during moves', async () => {
    open();
    await writeUntil(() => statSync(file.path).size > LONG_LOG_PAGES * PAGE_BYTES);
    await Promise.all([write(), database.close()]);
    const closed = new Sqlite(file.path, { readonly: true });
    expect(closed.prepare('select count(*) as count from numbers').get()).toEqual({ count: rows });
    closed.close();
  });

  it('is written on when the thread cannot start', async () => {
    open(['--import', 'data:text/javascript,throw new Error()']);
    const moves = performance.now() + 2.5 * TICK_MS;
    await writeUntil(() => pages() > LONG_LOG_PAGES && performance.now() > moves);
    expect(await numbers()).toEqual([{ count: rows }]);
  });
});
