import { describe, expect, it } from '@jest/globals';
import { hashText, type LeafLabel } from '../leaf/leaf.js';
import type { Opening } from '../leaf/opening.js';
import { countRange, type RangeCount, type RangeLeaf } from './range-check.js';

type Range = readonly [first: number, last: number];

const SHARED: Omit<LeafLabel, 'number' | 'deletes'> = {
  appId: null,
  at: '2026-01-02T03:04:05.000Z',
  bundleType: null,
  kind: 'deletion',
  tenant: hashText(new Uint8Array(32)),
};

function erased(number: number): RangeLeaf {
  const opening: Opening = { form: 'erased', leafHash: new Uint8Array(32) };
  return { number, opening, digest: null, shown: null };
}

function deletion(number: number, ...deletes: readonly Range[]): RangeLeaf {
  const salts = { receiptSalt: new Uint8Array(32), tenantSalt: new Uint8Array(32) };
  const opening: Opening = { form: 'owner', ...salts, label: { ...SHARED, number, deletes } };
  return { number, opening, digest: new Uint8Array(32), shown: 'deletion' };
}

function counted(leaves: readonly RangeLeaf[]): RangeCount {
  return countRange(leaves, { isAsked: () => true, digests: new Set(), since: null, mmdSeconds: 0 });
}

describe('deleted leaves', () => {
  it('are named by any deletion, in any order', () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const { deleted, faults } = counted([
      ...numbers.map(erased),
      deletion(10, [6, 6], [8, 8]),
      deletion(11, [2, 4]),
      deletion(12, [3, 3]),
    ]);
    expect(deleted).toBe(9);
    expect(faults.map(({ number, code }) => [number, code])).toEqual(
      [1, 5, 7, 9].map((number) => [number, 'LOG_RECORD_MISSING']),
    );
  });

  it('are found without reading every deletion for each', () => {
    const count = 2000;
    let reads = 0;
    const watched = (range: Range): Range =>
      new Proxy(range, {
        get: (target, name, receiver) => {
          reads++;
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
    const numbers = Array.from({ length: count }, (_, at) => 2 * at + 1);
    const leaves = numbers.flatMap((number) => [erased(number), deletion(number + 1, watched([number, number]))]);
    expect(counted(leaves)).toMatchObject({ deleted: count, faults: [] });
    expect(reads).toBeLessThan(100 * count);
  });
});
