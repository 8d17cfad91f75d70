import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';

import { recordedLog } from '@cer/http-service/testing';
import { executionRequest } from '@cer/cer-core/testing';
import { postgresTestDatabase } from '@cer/sql-store/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openMarkFile, type MarkFile } from '../../src/restore-mark/mark-file.js';
import { startMarking, type Marking } from '../../src/restore-mark/marking.js';
import { findGap, watchStore } from '../../src/restore-mark/restored-store.js';
import { ask, type Answer } from '../ask.js';
import { lostAnswers } from '../store/lost-answers.js';
import { startTestNode, type TestNode } from '../test-node.js';

it('is reported once while its folder cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-mark-'));
  const place = join(folder, 'later', 'mark');
  const { logger, lines } = recordedLog();
  const written = (): readonly unknown[] =>
    lines.map((line) => (JSON.parse(line) as { level: unknown }).level).filter((level) => level !== 'debug');
  let attempts = 0;
  const started: Marking[] = [];
  const node = await startTestNode({
    replace: ({ store, now }) => {
      const counted = {
        ...store,
        audit: {
          ...store.audit,
          last: async () => {
            attempts += 1;
            return store.audit.last();
          },
        },
      };
      const file = openMarkFile(place);
      const watched = watchStore({ store, file, logger });
      const marking = startMarking({ store: counted, file, watched, isMarking: true, now, logger, everyMs: 1 });
      started.push(marking);
      return { marking };
    },
  });
  const afterAttempts = async (more: number): Promise<void> => {
    const until = attempts + more;
    while (attempts < until) await nextTurnOfLoop();
  };
  try {
    await afterAttempts(4);
    expect(written()).toEqual(['warn']);
    expect(lines.join()).toContain(`${place}: cannot be written`);
    expect(lines.join()).toContain('set RESTORE_MARK_FILE to a file in a folder');
    expect((await ask(node, 'get', '/ready')).body).toEqual({
      status: 'ready',
      warnings: ['restore mark: cannot be written; the log says why. Set RESTORE_MARK_FILE to a writable place'],
    });
    mkdirSync(join(folder, 'later'));
    await afterAttempts(3);
    expect(written()).toEqual(['warn', 'info']);
    expect(existsSync(place)).toBe(true);
    expect((await ask(node, 'get', '/ready')).body).toEqual({ status: 'ready' });
  } finally {
    await Promise.all(started.map((marking) => marking.stop()));
    await node.close();
    rmSync(folder, { recursive: true });
  }
});

it('does not blame its file while the database fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-mark-'));
  const file = openMarkFile(join(folder, 'mark'));
  const database = await postgresTestDatabase();
  const { logger, lines } = recordedLog();
  let started: Marking | undefined;
  const node = await startTestNode({
    database,
    replaceAsync: async ({ store, now }) => {
      await database.query(
        `create function refuse() returns trigger language plpgsql as 'begin raise read_only_sql_transaction; end'`,
      );
      await database.query('create trigger refuse before update on store_mark for each row execute function refuse()');
      const watched = watchStore({ store, file, logger });
      started = startMarking({ store, file, watched, isMarking: true, now, logger, everyMs: 1 });
      return { marking: started };
    },
  });
  const until = async (text: string): Promise<void> => {
    while (!lines.join().includes(text)) await nextTurnOfLoop();
  };
  try {
    await until('the growth of the database could not be marked');
    expect((await ask(node, 'get', '/ready')).body).toEqual({
      status: 'ready',
      warnings: ['restore mark: the database failed; the log says why. The mark is tried again'],
    });
    await database.query('drop trigger refuse on store_mark');
    await until('the growth of the database is marked again');
    expect((await ask(node, 'get', '/ready')).body).toEqual({ status: 'ready' });
  } finally {
    await started?.stop();
    await node.close();
    await database.remove();
    rmSync(folder, { recursive: true });
  }
});

describe('a database that goes back under a running node', () => {
  let folder: string;
  let file: MarkFile;
  let node: TestNode;
  let key: string;
  let marking: Marking | undefined;
  /** Resolve at the end of the next check. */
  let waiting: (() => void)[];
  let beforeMark: () => Promise<void>;
  const { lose, replaceDatabase } = lostAnswers();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cer-mark-'));
    file = openMarkFile(join(folder, 'mark'));
    waiting = [];
    beforeMark = () => Promise.resolve();
    node = await startTestNode({
      replaceDatabase,
      replace: ({ store, now, logger }) => {
        const watching = watchStore({ store, file, logger });
        const watched = {
          ...watching,
          check: async () => {
            const isNew = await watching.check();
            for (const resolve of waiting.splice(0)) resolve();
            return isNew;
          },
        };
        const hooked = {
          ...store,
          mark: {
            read: () => store.mark.read(),
            advance: () => Promise.reject(new Error('only by an operator')),
            grow: async (at: string, seen: number) => {
              await beforeMark();
              return store.mark.grow(at, seen);
            },
          },
        };
        marking = startMarking({ store: hooked, file, watched, isMarking: true, now, logger, everyMs: 1 });
        return { marking, restored: watched };
      },
    });
    key = await node.newKey();
    expect((await certify('before')).status).toBe(200);
  });
  afterEach(async () => {
    await marking?.stop();
    await node.close();
    rmSync(folder, { recursive: true });
  });

  const certify = (executionId: string): Promise<Answer> =>
    ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest({ executionId }) });
  const nextCheck = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });
  const goBack = async (): Promise<void> => {
    await node.database.query('update store_mark set count = count - 1');
  };
  const errors = (): number =>
    node.log.filter(
      (line) => line.includes('"level":"error"') && line.includes('older than this node has seen: see docs'),
    ).length;
  const closed = async (): Promise<void> => {
    const reason = 'store: is older than this node has seen: an operator must accept the restore';
    expect(await ask(node, 'get', '/ready')).toMatchObject({ status: 503, body: { reasons: [reason] } });
    expect(await certify('of the gap')).toMatchObject({ status: 503, body: { error: 'SERVICE_UNAVAILABLE' } });
  };

  it('closes certification until the gap is accepted', async () => {
    while (file.read() === null) await nextCheck();
    await goBack();
    await nextCheck();
    await nextCheck();
    await closed();
    expect(errors()).toBe(1);

    await node.store.mark.advance(new Date().toISOString(), 1, file.read()?.count ?? 0);
    expect((await certify('of the gap')).status).toBe(200);
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
  });

  it('is not seen in counts that lost answers repeated', async () => {
    await marking?.stop();
    const { mark } = node.store;
    const at = new Date().toISOString();
    const { count } = await mark.read();
    lose('update store_mark', 1);
    const grown = await mark.grow(at, count);
    expect(grown?.count).toBe(count + 2);
    lose('update store_mark', 1);
    const advanced = await mark.advance(at, 5, 1000);
    expect(advanced.count).toBe(1010);
    file.write(advanced);
    expect(await findGap(node.store, file)).toBeNull();
    await goBack();
    expect(await findGap(node.store, file)).toMatchObject({ found: { count: 1009 }, seen: { count: 1010 } });
  });

  it('is also noticed between check and mark', async () => {
    while (file.read() === null) await nextCheck();
    while (file.read() === null) await nextCheck();
    const isBack = new Promise<void>((resolve) => {
      beforeMark = async () => {
        await goBack();
        resolve();
      };
    });
    expect((await certify('more')).status).toBe(200);
    await isBack;
    await nextCheck();
    await nextCheck();
    await closed();
    expect(errors()).toBe(1);
  });
});
