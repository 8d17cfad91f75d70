import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findStrictFault } from './scan.js';

// V8 may run a regular expression that it has not optimized: on long texts one that can go back to every character then
// has no stack left.
setFlagsFromString('--no-regexp-optimization');

const ruleOf = (text: string): string | undefined => findStrictFault(text, 8)?.rule;
const MANY = 20_000_000;

describe('findStrictFault', () => {
  it.each([
    ['a number that becomes 0', `0.${'0'.repeat(MANY)}1`, 'number too small, it would become 0'],
    ['a zero', `-0.${'0'.repeat(MANY)}`, undefined],
    ['a whole number with a fraction', `9007199254740993.${'0'.repeat(MANY)}`, /^integer beyond/],
    ['a safe one with a fraction', `9007199254740991.${'0'.repeat(MANY)}`, undefined],
    ['leading zeros', `${'0'.repeat(MANY)}9007199254740993`, /^integer beyond/],
    ['too many digits', '1'.repeat(MANY), 'number too large'],
  ])('takes a long literal: %s', (_, text, rule) => {
    if (rule === undefined) expect(ruleOf(text)).toBeUndefined();
    else expect(ruleOf(text)).toMatch(rule);
  });

  it('refuses a literal by the rules of the specification', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '9', '5'), minLength: 1, maxLength: 24 });
    const literals = fc
      .tuple(fc.boolean(), digits, fc.option(digits), fc.option(fc.integer({ min: -400, max: 400 })))
      .map(([minus, whole, fraction, exponent]) =>
        [
          minus ? '-' : '',
          whole,
          fraction === null ? '' : `.${fraction}`,
          exponent === null ? '' : `e${exponent}`,
        ].join(''),
      );
    fc.assert(
      fc.property(literals, (literal) => {
        const value = Number(literal);
        const [mantissa = ''] = literal.split('e');
        const [whole = '', fraction = '0'] = mantissa.split('.');
        const isWhole = !literal.includes('e') && Number(fraction) === 0;
        const isRounded = isWhole && Math.abs(value) > Number.MAX_SAFE_INTEGER && JSON.stringify(value) !== whole;
        const isLost = value === 0 && Number(mantissa) !== 0;
        expect(ruleOf(literal) !== undefined).toBe(!Number.isFinite(value) || isLost || isRounded);
      }),
      { numRuns: 3000 },
    );
  });
});
