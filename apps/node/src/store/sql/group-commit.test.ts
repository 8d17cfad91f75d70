import { describe, expect, it } from '@jest/globals';

import { GroupCommit } from './group-commit.js';
import { StoreError } from '../ports/store-error.js';

interface Row {
  readonly key: string;
  readonly bad?: boolean;
}

interface Commit {
  readonly rows: readonly Row[];
  readonly finish: () => void;
}

const UNAVAILABLE = new StoreError('STORE_UNAVAILABLE', 'gone');
const REFUSED = new StoreError('STORE_ROW_REFUSED', 'refused');
const CONTENDED = new StoreError('STORE_CONTENDED', 'deadlock');

function groupCommit(
  insertBatch: (rows: readonly Row[]) => Promise<readonly boolean[]>,
  inFlightLimit = 1,
): GroupCommit<Row> {
  return new GroupCommit({ keyOf: ({ key }) => key, insertBatch, batchLimit: 4, inFlightLimit, queueLimit: 100 });
}

/** A database with manually triggered commits. */
function heldDatabase(): { commits: Commit[]; insertBatch: (rows: readonly Row[]) => Promise<readonly boolean[]> } {
  const commits: Commit[] = [];
  return {
    commits,
    insertBatch: (rows) =>
      new Promise((resolve) => {
        commits.push({
          rows,
          finish: () => {
            resolve(rows.map(() => true));
          },
        });
      }),
  };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('group commit', () => {
  it('commits the rows of one turn in batches', async () => {
    const sizes: number[] = [];
    const commits = groupCommit(async (rows) => {
      sizes.push(rows.length);
      return rows.map(() => true);
    });
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => commits.add({ key })));
    expect(sizes).toEqual([4, 2]);
    expect(commits.pending).toBe(0);
  });

  it('resolves after the commit and collects later rows', async () => {
    const { commits: held, insertBatch } = heldDatabase();
    const commits = groupCommit(insertBatch);
    const answered: string[] = [];
    const add = async (key: string): Promise<void> => {
      await commits.add({ key });
      answered.push(key);
    };
    const first = add('a');
    await turns();
    const later = [add('b'), add('c')];
    await turns();
    expect(answered).toEqual([]);
    expect(held.map(({ rows }) => rows.length)).toEqual([1]);

    held[0]?.finish();
    await first;
    await turns();
    expect(answered).toEqual(['a']);
    expect(held.map(({ rows }) => rows.length)).toEqual([1, 2]);
    held[1]?.finish();
    await Promise.all(later);
  });

  it.each([
    [20, 3, [20]],
    [64, 3, [32, 32]],
    [120, 3, [40, 64, 16]],
    [300, 3, [64, 64, 64]],
    [64, 1, [64]],
  ])('gives an idle database a part of %s rows, with %s batches at most', async (rows, inFlightLimit, sizes) => {
    const { commits: held, insertBatch } = heldDatabase();
    const limits = { batchLimit: 64, inFlightLimit, queueLimit: 1000 };
    const commits = new GroupCommit<Row>({ keyOf: ({ key }) => key, insertBatch, ...limits });
    for (let row = 0; row < rows; row += 1) void commits.add({ key: String(row) });
    await turns();
    expect(held.map((batch) => batch.rows.length)).toEqual(sizes);
  });

  describe('while further rows are expected', () => {
    /** A commit of any number of rows, and the flushes of its waits instead of timers. */
    function gathering() {
      const sizes: number[] = [];
      const waits: { readonly flush: () => void; stopped: boolean }[] = [];
      const commits = new GroupCommit<Row>({
        keyOf: ({ key }) => key,
        insertBatch: async (rows) => {
          sizes.push(rows.length);
          return rows.map(() => true);
        },
        batchLimit: 256,
        inFlightLimit: 1,
        queueLimit: 1000,
        startGathering: (flush) => {
          const wait = { flush, stopped: false };
          waits.push(wait);
          return () => {
            wait.stopped = true;
          };
        },
      });
      return { commits, sizes, waits };
    }

    it('lets a lone row wait for no other', async () => {
      const { commits, sizes, waits } = gathering();
      const arrived = commits.expect();
      arrived();
      await commits.add({ key: 'alone' });
      expect({ sizes, waits }).toEqual({ sizes: [1], waits: [] });
    });

    it('commits once the last expected row was added', async () => {
      const { commits, sizes, waits } = gathering();
      const arrivals = [commits.expect(), commits.expect()];
      const first = commits.add({ key: 'a' });
      await turns();
      arrivals[0]?.();
      const second = commits.add({ key: 'b' });
      await turns();
      expect(sizes).toEqual([]);
      arrivals[1]?.();
      const third = commits.add({ key: 'c' });
      await Promise.all([first, second, third]);
      expect(sizes).toEqual([3]);
      expect(waits.map(({ stopped }) => stopped)).toEqual([true]);
    });

    it('commits when no expected row will be added', async () => {
      const { commits, sizes } = gathering();
      const givesUp = commits.expect();
      const row = commits.add({ key: 'a' });
      await turns();
      expect(sizes).toEqual([]);
      givesUp();
      await row;
      expect(sizes).toEqual([1]);
    });

    it('commits 32 rows without waiting for more', async () => {
      const { commits, sizes, waits } = gathering();
      commits.expect();
      const few = Array.from({ length: 31 }, (_, index) => commits.add({ key: `row ${index}` }));
      await turns();
      expect([sizes, waits.length]).toEqual([[], 1]);
      await Promise.all([...few, commits.add({ key: 'last' })]);
      expect(sizes).toEqual([32]);
      expect(waits[0]?.stopped).toBe(true);
    });

    it('commits after the wait and waits again for later rows', async () => {
      const { commits, sizes, waits } = gathering();
      commits.expect();
      for (const key of ['a', 'b']) {
        const row = commits.add({ key });
        await turns();
        waits.at(-1)?.flush();
        await row;
      }
      expect([sizes, waits.length]).toEqual([[1, 1], 2]);
    });
  });

  it('answers a duplicate key from the pending row', async () => {
    const { commits: held, insertBatch } = heldDatabase();
    const commits = groupCommit(insertBatch, 2);
    const first = commits.add({ key: 'a' });
    const sameTurn = commits.add({ key: 'a' });
    await turns();
    const inFlight = commits.add({ key: 'a' });
    await turns();
    expect(held).toHaveLength(1);
    held[0]?.finish();
    expect(await Promise.all([first, sameTurn, inFlight])).toEqual([true, false, false]);
  });

  it('retries a batch after a deadlock', async () => {
    let tries = 0;
    const commits = groupCommit(async (rows) => {
      tries += 1;
      if (tries < 4) throw CONTENDED;
      return rows.map(() => true);
    });
    expect(await Promise.all([commits.add({ key: 'a' }), commits.add({ key: 'b' })])).toEqual([true, true]);
  });

  it('rejects only the bad row of a batch', async () => {
    const commits = groupCommit(async (rows) => {
      if (rows.some(({ bad }) => bad)) throw REFUSED;
      return rows.map(() => true);
    });
    const outcomes = await Promise.allSettled(
      [{ key: 'a' }, { key: 'b', bad: true }, { key: 'c' }].map((row) => commits.add(row)),
    );
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'rejected', reason: REFUSED },
      { status: 'fulfilled', value: true },
    ]);
  });

  it('fails whole batches during an outage and recovers', async () => {
    let tries = 0;
    let gone = true;
    const commits = groupCommit(async (rows) => {
      tries += 1;
      if (gone) throw UNAVAILABLE;
      return rows.map(() => true);
    });
    const outcomes = await Promise.allSettled(['a', 'a', 'b', 'c'].map((key) => commits.add({ key })));
    expect(outcomes.map(({ status }) => status)).toEqual(Array<string>(4).fill('rejected'));
    expect(tries).toBe(2);
    expect(commits.pending).toBe(0);

    gone = false;
    expect(await commits.add({ key: 'a' })).toBe(true);
  });
});
