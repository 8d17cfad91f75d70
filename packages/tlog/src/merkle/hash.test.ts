import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { leafHash, nodeHash } from './hash.js';

describe('the hash of an inner node', () => {
  it('is SHA-256 of 0x01 and both children of any length', () => {
    const child = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 70 }));
    fc.assert(
      fc.property(child, child, (left, right) => {
        const expected = createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest();
        expect(Buffer.from(nodeHash(left, right))).toEqual(expected);
      }),
    );
  });
});

describe('the hash of a leaf', () => {
  it('is SHA-256 of 0x00 and an entry of any length', () => {
    const entry = fc.oneof(fc.uint8Array({ minLength: 33, maxLength: 33 }), fc.uint8Array({ maxLength: 70 }));
    fc.assert(
      fc.property(entry, (bytes) => {
        const expected = createHash('sha256').update(Uint8Array.of(0)).update(bytes).digest();
        expect(Buffer.from(leafHash(bytes))).toEqual(expected);
      }),
    );
  });
});
