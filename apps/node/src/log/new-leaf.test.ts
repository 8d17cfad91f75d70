import { describe, expect, it } from '@jest/globals';
import { newSeed } from './new-leaf.js';

describe('the seed of a leaf', () => {
  it('is 32 fresh bytes, over several draws', () => {
    const seeds = Array.from({ length: 1000 }, newSeed);
    expect(new Set(seeds.map((seed) => Buffer.from(seed).toString('hex'))).size).toBe(1000);
    for (const seed of seeds) {
      expect(seed).toHaveLength(32);
      expect(seed.byteOffset).toBe(0);
      expect(seed.buffer.byteLength).toBe(32);
      expect(seed.filter((byte) => byte === 0).length).toBeLessThan(16);
    }
  });
});
