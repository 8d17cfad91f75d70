import { describe, expect, it } from '@jest/globals';
import { pinSort } from './sort.js';

type Sort = (compare?: (a: never, b: never) => unknown) => unknown;
interface Sorting {
  readonly sort: Sort;
  readonly toSorted: Sort;
}

const copyOf = (prototype: object): object =>
  Object.create(null, Object.getOwnPropertyDescriptors(prototype)) as object;
const prototypes = {
  array: copyOf(Array.prototype),
  typedArray: copyOf(Object.getPrototypeOf(Uint8Array.prototype) as object),
};
pinSort(prototypes);
const { array, typedArray } = prototypes as { readonly array: Sorting; readonly typedArray: Sorting };
const sorted = (values: unknown, compare?: (a: never, b: never) => unknown): unknown =>
  Reflect.apply(array.sort, values, [compare]);

describe('The pinned sort', () => {
  it('agrees with the native one wherever the order is defined', () => {
    for (let length = 0; length < 70; length++) {
      const values = Array.from({ length }, (_, i) => (i * 7919) % 31);
      expect(sorted([...values])).toEqual([...values].sort());
      expect(sorted([...values], (a: number, b: number) => a - b)).toEqual([...values].sort((a, b) => a - b));
      const rows = values.map((value, i) => ({ value, i }));
      const byValue = (a: { value: number }, b: { value: number }): number => b.value - a.value;
      expect(sorted([...rows], byValue)).toEqual([...rows].sort(byValue));
      expect(Reflect.apply(array.toSorted, values, [])).toEqual([...values].sort());
    }
  });

  it('takes the same steps with a contradictory comparator', () => {
    let state = 1;
    const coin = (): number => (state = (state * 48_271) % 0x7fff_ffff) / 0x7fff_ffff - 0.5;
    const numbers = Array.from({ length: 16 }, (_, i) => i);
    expect(sorted([...numbers], coin)).toEqual([14, 7, 15, 6, 5, 13, 0, 10, 12, 11, 9, 2, 8, 4, 1, 3]);
    expect(sorted([3, 1, 2], () => NaN)).toEqual([3, 1, 2]);
  });

  it('puts undefined last and holes behind it', () => {
    const holes = [3, , undefined, 1, , 2] as unknown[];
    expect(sorted(holes)).toBe(holes);
    expect(holes).toEqual([1, 2, 3, undefined, , ,]);
    expect(3 in holes && !(4 in holes) && holes.length === 6).toBe(true);
    expect(Reflect.apply(array.toSorted, [3, , 1], [])).toEqual([1, 3, undefined]);
    expect(sorted({ length: '2', 0: 'b', 1: 'a', 2: 'A' })).toEqual({ length: '2', 0: 'a', 1: 'b', 2: 'A' });
  });

  it('refuses what the native one refuses', () => {
    expect(() => sorted([1, 2], 'up' as never)).toThrow(TypeError);
    expect(() => sorted(null)).toThrow(TypeError);
    expect(() => sorted([Symbol('a'), Symbol('b')])).toThrow(TypeError);
    expect(() => sorted([1, 2], () => 1n)).toThrow(TypeError);
    expect(() => Reflect.apply(array.toSorted, { length: 2 ** 32 }, [])).toThrow(RangeError);
    expect(() => Reflect.apply(typedArray.sort, [1, 2], [() => 0])).toThrow('incompatible receiver');
  });

  it('leaves an array untouched when the comparator throws', () => {
    const values = [3, 1, 2];
    expect(() =>
      sorted(values, () => {
        throw new Error('no order');
      }),
    ).toThrow('no order');
    expect(values).toEqual([3, 1, 2]);
  });

  it('sorts typed arrays with and without a comparator', () => {
    const values = Float32Array.of(3, -1, NaN, 2);
    // A comparator that contradicts itself on NaN: engines order such values as they like, this sort always in one way.
    expect(Reflect.apply(typedArray.toSorted, values, [(a: number, b: number) => b - a])).toEqual(
      Float32Array.of(3, -1, NaN, 2),
    );
    expect(Reflect.apply(typedArray.sort, values, [])).toBe(values);
    expect([...values]).toEqual([-1, 2, 3, NaN]);
    const big = BigInt64Array.of(3n, 1n, 2n);
    expect(Reflect.apply(typedArray.sort, big, [(a: bigint, b: bigint) => (a < b ? 1 : -1)])).toEqual(
      BigInt64Array.of(3n, 2n, 1n),
    );
  });
});
