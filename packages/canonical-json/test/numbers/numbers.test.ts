import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { jcsV1, svcV1 } from '../../src/index.js';
import { bitsOf, es6Numbers } from './es6-numbers.js';

describe('canonical numbers', () => {
  // `npm run test:others` sets it.
  const more: [number, string][] =
    process.env['ES6_NUMBERS'] === 'million'
      ? [[1_000_000, '49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16']]
      : [];

  // The published sums of the first lines of the ES6 number test file that RFC 8785 names in its appendix B.
  it.each([
    [1_000, 'be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687'],
    [10_000, 'b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892'],
    [100_000, '22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7'],
    ...more,
  ])('are those of the published corpus: %d lines', (count, sum) => {
    const file = createHash('sha256');
    for (const value of es6Numbers(count)) file.update(`${bitsOf(value)},${jcsV1.canonicalize(value)}\n`);
    expect(file.digest('hex')).toBe(sum);
  });

  it('are the same under both profiles', () => {
    for (const value of es6Numbers(5_000)) expect(svcV1.canonicalize(value)).toBe(jcsV1.canonicalize(value));
  });
});
