import { describe, expect, it } from '@jest/globals';
import { seedNumber } from './render-rules.js';

describe('Seeds', () => {
  it.each([
    ['default', 1544803905],
    ['my-seed', 1462865394],
    ['', 0],
    ['\u{1f3a8}', 1773292],
  ])('makes %p the number %d', (seed, number) => {
    expect(seedNumber(seed)).toBe(number);
  });
});
