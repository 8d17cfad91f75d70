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
