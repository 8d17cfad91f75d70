import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';

import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sqliteTestDatabase } from '@cer/sql-store/testing';

import { openStore, type Store } from '../../src/store/index.js';
import { newRecord } from './new-record.js';
import { WRITER_THREAD } from './writer-thread.js';

// Loaded before the thread: ends it at a call that is under way.
const ENDS_WHEN_COMPACTING = `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  const { on } = parentPort;
  parentPort.on = (event, listener) =>
    on.call(parentPort, event, (asked) => (asked.name === 'compact' ? process.exit() : listener(asked)));
`)}`;

describe('a SQLite file that a thread writes to', () => {
  let database: Awaited<ReturnType<typeof sqliteTestDatabase>>;
  let store: Store;

  async function open(writerThread: typeof WRITER_THREAD): Promise<void> {
    store = await openStore({ databaseUrl: database.url, queueLimit: 10, writerThread });
  }

  beforeEach(async () => {
    database = await sqliteTestDatabase();
  });
  afterEach(async () => {
    await store.close();
    await database.remove();
  });

  it("serves requests while it waits for another process's lock", async () => {
    await open(WRITER_THREAD);
    const [first, second] = [newRecord(), newRecord()];
    await store.records.recordOnce(first);
    const other = new Sqlite(database.path);
    other.exec('begin immediate');
    let isRecorded = false;
    const recorded = store.records.recordOnce(second).finally(() => (isRecorded = true));
    for (let turn = 0; turn < 100; turn += 1) {
      await nextTurnOfLoop();
      expect(await store.records.findByHash(first.certificateHash)).not.toBeNull();
    }
    expect(isRecorded).toBe(false);
    expect(await store.records.findByHash(second.certificateHash)).toBeNull();
    other.exec('commit');
    other.close();
    expect(await recorded).toEqual({ recorded: true });
    expect(await store.records.findByHash(second.certificateHash)).not.toBeNull();
  });

  it('reads what it wrote, at once', async () => {
    await open(WRITER_THREAD);
    for (let round = 0; round < 200; round += 1) {
      const record = newRecord();
      await store.records.recordOnce(record);
      expect(await store.records.findByHash(record.certificateHash)).not.toBeNull();
    }
  });

  it('refuses the pending work of a lost thread and starts another', async () => {
    const { execArgv = [] } = WRITER_THREAD;
    await open({ execArgv: [...execArgv, '--import', ENDS_WHEN_COMPACTING] });
    const [before, after] = [newRecord(), newRecord()];
    await store.records.recordOnce(before);
    await expect(store.compact()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await store.records.recordOnce(after)).toEqual({ recorded: true });
    for (const { certificateHash } of [before, after]) {
      expect(await store.records.findByHash(certificateHash)).not.toBeNull();
    }
  });
});
