import { describe, expect, it } from '@jest/globals';
import { isLarge } from './large-body.js';

const KIB = 1024;
const filled = (bytes: number, text: string): Uint8Array => Buffer.alloc(bytes, text);

describe('a body', () => {
  it.each([
    [256, 'text ', false],
    [257, 'text ', true],
    [256, '{"role":"user","text":"abcdefgh"},', false],
    [256, '[],', true],
    [65, '[],', true],
    [256, '0,', true],
    [256, '{},', true],
    [64, '[],', false],
  ])('of %d KiB of %p: %p', (kib, text, isThat) => {
    expect(isLarge(filled(kib * KIB, text))).toBe(isThat);
  });
});
