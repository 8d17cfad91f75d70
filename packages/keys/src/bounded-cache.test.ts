import { describe, expect, it } from '@jest/globals';
import { BoundedCache } from './bounded-cache.js';

describe('BoundedCache', () => {
  it('creates a value once per key', () => {
    const cache = new BoundedCache<object>(2);
    const made = cache.getOrMake('a', () => ({}));
    expect(cache.getOrMake('a', () => ({}))).toBe(made);
  });

  it('evicts the oldest value beyond its limit', () => {
    const cache = new BoundedCache<number>(2);
    const made: string[] = [];
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a', '__proto__']) cache.getOrMake(key, () => made.push(key));
    expect(made).toEqual(['a', 'b', 'c', 'a', '__proto__']);
  });

  it('caches nothing when the factory throws', () => {
    const cache = new BoundedCache<number>(1);
    expect(() =>
      cache.getOrMake('a', () => {
        throw new Error('not made');
      }),
    ).toThrow('not made');
    expect(cache.getOrMake('a', () => 1)).toBe(1);
  });
});
