import { describe, expect, it } from '@jest/globals';
import { BoundedCache } from './bounded-cache.js';

describe('BoundedCache', () => {
  it('makes a value once', () => {
    const cache = new BoundedCache<object>(2);
    const made = cache.getOrMake('a', () => ({}));
    expect(cache.getOrMake('a', () => ({}))).toBe(made);
  });

  it('forgets the oldest first and never holds more than its limit', () => {
    const cache = new BoundedCache<number>(2);
    const made: string[] = [];
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a', '__proto__']) cache.getOrMake(key, () => made.push(key));
    expect(made).toEqual(['a', 'b', 'c', 'a', '__proto__']);
  });

  it('keeps nothing of a maker that throws', () => {
    const cache = new BoundedCache<number>(1);
    expect(() =>
      cache.getOrMake('a', () => {
        throw new Error('not made');
      }),
    ).toThrow('not made');
    expect(cache.getOrMake('a', () => 1)).toBe(1);
  });
});
