import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Utf8Chunks } from './utf8-chunks.js';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Bytes at which the rules of UTF-8 change, and a few characters. */
const EDGES = [
  ...[0x0a, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef],
  ...[0xf0, 0xf1, 0xf4, 0xf5, 0xf8, 0xff],
];
const piece = fc.oneof(
  fc.array(fc.constantFrom(...EDGES), { maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => [...new TextEncoder().encode(text)]),
  fc.constant(BYTE_ORDER_MARK),
);
const chunks = fc.array(
  piece.map((bytes) => Uint8Array.from(bytes)),
  { maxLength: 12 },
);

const joined = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const text = (parts: readonly Uint8Array[]): string => {
  const decoder = new Utf8Chunks();
  return parts.map((part) => decoder.decode(part)).join('');
};

describe('UTF-8 that arrives in chunks', () => {
  it('has the text of a decoder of the platform', () => {
    fc.assert(
      fc.property(chunks, (parts) => {
        // The line feed ends what is incomplete, for both.
        const whole = [...parts, Uint8Array.of(0x0a)];
        expect(text(whole)).toBe(new TextDecoder().decode(joined(whole)));
      }),
      { numRuns: 2000 },
    );
  });

  it('holds back nothing before a line feed', () => {
    fc.assert(
      fc.property(chunks, (parts) => {
        const whole = joined(parts);
        const end = whole.lastIndexOf(0x0a) + 1;
        const before = new TextDecoder().decode(whole.subarray(0, end));
        expect(text(parts).startsWith(before)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('ends with the text of what is incomplete', () => {
    fc.assert(
      fc.property(chunks, (parts) => {
        const decoder = new Utf8Chunks();
        const found = parts.map((part) => decoder.decode(part)).join('') + decoder.end();
        expect(found).toBe(new TextDecoder().decode(joined(parts)));
        expect(decoder.end()).toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps no view of a chunk', () => {
    const decoder = new Utf8Chunks();
    const chunk = Uint8Array.of(0x61, 0xe2, 0x82);
    const first = decoder.decode(chunk);
    chunk.fill(0);
    expect(first + decoder.decode(Uint8Array.of(0xac))).toBe('a€');
  });
});
