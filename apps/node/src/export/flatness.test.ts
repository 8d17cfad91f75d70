import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';

import { isTooFlat } from './flatness.js';

describe('a line of an audit package', () => {
  it.each([
    ['short, however flat', 'a'.repeat(16 * 1024), false],
    ['long and flat', 'a'.repeat(16 * 1024 + 1), true],
    ['long, of two bytes each', 'ä'.repeat(20_000), true],
    ['long and of many different bytes', randomBytes(20_000).toString('base64'), false],
    ['long, flat but for a twentieth', randomBytes(1000).toString('base64') + 'a'.repeat(20_000), false],
  ])('is stored uncompressed only if it compresses too well: %s', async (_name, line, expected) => {
    expect(await isTooFlat(line)).toBe(expected);
  });
});
