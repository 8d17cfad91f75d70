import { describe, expect, it } from '@jest/globals';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { isCanonicalAndNotSmallOrder, isOnCurve } from './point.js';
import { encodeHex } from './hex.js';
import { encodingOf, nonCanonicalY, P, smallOrderEncodings, torsionPoints } from '../test/curve.js';

describe('the encodings that the strict gate rejects', () => {
  it('include exactly the eight points of small order', () => {
    const points = torsionPoints();
    expect(new Set(points.map((point) => point.toHex())).size).toBe(8);
    for (const point of points) expect(isCanonicalAndNotSmallOrder(point.toBytes())).toBe(false);
  });

  it('include all fourteen spellings of those points', () => {
    const spellings = smallOrderEncodings();
    expect(new Set(spellings.map(encodeHex)).size).toBe(14);
    for (const spelling of spellings) expect(isCanonicalAndNotSmallOrder(spelling)).toBe(false);
  });

  it('include both signs of every y from p to 2^255-1', () => {
    expect(nonCanonicalY()).toHaveLength(38);
    for (const encoding of nonCanonicalY()) expect(isCanonicalAndNotSmallOrder(encoding)).toBe(false);
  });

  it('exclude y = p - 2 and every neighbouring y', () => {
    const refused = new Set(torsionPoints().map((point) => point.toAffine().y));
    for (const y of [P - 2n, ...[...refused].flatMap((each) => [each + 1n, each + 2n, each + P - 2n])]) {
      for (const sign of [0, 1] as const) {
        const reduced = y % P;
        if (!refused.has(reduced)) expect(isCanonicalAndNotSmallOrder(encodingOf(reduced, sign))).toBe(true);
      }
    }
  });

  it('exclude y that is below p in any one byte', () => {
    for (const sign of [0, 0x80]) {
      for (let low = 0; low < 32; low++) {
        const encoding = new Uint8Array(32).fill(0xff);
        encoding[31] = 0x7f | sign;
        encoding[low] = low === 0 ? 0xeb : low === 31 ? 0x7e | sign : 0xfe;
        expect([low, isCanonicalAndNotSmallOrder(encoding)]).toEqual([low, true]);
      }
    }
  });

  it('exclude y that differs from small order in its topmost bits', () => {
    for (const { x, y } of torsionPoints().map((point) => point.toAffine())) {
      const encoding = encodingOf(y, x % 2n === 1n ? 1 : 0);
      const other = encoding.map((byte, at) => (at === 31 ? byte ^ 0x40 : byte));
      expect(isCanonicalAndNotSmallOrder(other)).toBe(true);
    }
  });

  it('exclude genuine keys', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const key = ed25519.getPublicKey(seed);
        expect(isCanonicalAndNotSmallOrder(key)).toBe(true);
        expect(isOnCurve(key)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('isOnCurve', () => {
  it('agrees with an independent implementation', () => {
    let onCurve = 0;
    let offCurve = 0;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        if (!isCanonicalAndNotSmallOrder(bytes)) return;
        let decodes = true;
        try {
          ed25519.Point.fromBytes(bytes);
        } catch {
          decodes = false;
        }
        expect(isOnCurve(bytes)).toBe(decodes);
        if (decodes) onCurve++;
        else offCurve++;
      }),
      { numRuns: 200 },
    );
    expect(Math.min(onCurve, offCurve)).toBeGreaterThan(30);
  });

  it('accepts x = 0', () => {
    expect(isOnCurve(encodingOf(1n, 0))).toBe(true);
    expect(isOnCurve(encodingOf(P - 1n, 0))).toBe(true);
  });
});
