import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { alphaRows, packAlpha, unpackAlpha } from './packed-alpha.js';

describe('Packed alpha', () => {
  it('is opaque, in a third of the rows, and comes back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.uint8Array({ minLength: 36, maxLength: 600 }), (width, bytes) => {
        const stride = width * 4;
        const height = Math.floor(bytes.length / stride);
        const before = Uint8ClampedArray.from(bytes.subarray(0, height * stride));
        const pixels = before.slice();
        const packed = new Uint8ClampedArray(alphaRows(height) * stride).fill(255);
        packAlpha(pixels, packed);
        for (const some of [packed, pixels])
          expect(some.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true);
        unpackAlpha(packed, pixels);
        expect(pixels).toEqual(before);
      }),
    );
  });
});
