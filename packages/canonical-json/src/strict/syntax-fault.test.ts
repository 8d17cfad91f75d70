import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findSyntaxFault } from './syntax-fault.js';

// V8 may run a regular expression that it has not optimized: on long texts one that can go back to every character then
// has no stack left.
setFlagsFromString('--no-regexp-optimization');

describe('findSyntaxFault', () => {
  it.each([
    ['', 1, 1, 'a value'],
    ['{"a": 1,\n  b: 2}', 2, 3, 'a member name in double quotes'],
    ['{"a" 1}', 1, 6, '":" after the member name'],
    ['{"a": 1\r\n "b": 2}', 2, 2, '"," or "}"'],
    ['[1 2]', 1, 4, '"," or "]"'],
    ['[1,]', 1, 4, 'a value'],
    ['{} x', 1, 4, 'the end of the text'],
    ['"a\tb"', 1, 3, 'a character that strings may hold, or the closing quote'],
    ['"a\\x"', 1, 3, 'a character that strings may hold, or the closing quote'],
    ['"a\\u00g0"', 1, 3, 'a character that strings may hold, or the closing quote'],
    ['[x]', 1, 2, 'a value or "]"'],
    ['{b: 2}', 1, 2, 'a member name in double quotes or "}"'],
    ['1 "a"', 1, 3, 'the end of the text'],
    ['[1 2\n]\n', 1, 4, '"," or "]"'],
    ['\ufeff{}', 1, 1, 'no byte order mark: save the text as UTF-8 without BOM'],
  ])('names line, column and expectation in %j', (text, line, column, expected) => {
    expect(findSyntaxFault(text)).toEqual({ line, column, expected });
  });

  it.each(['1e5', '1E5', '-0.5E-7', '"\\u00e9\\uFFFF"', '[]', '{}'])('finds none in %s', (text) => {
    expect(findSyntaxFault(text)).toBeNull();
  });

  it('agrees with the parser of the engine', () => {
    const mutated = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', ':', '0', ' ', '\\', '-', 'e'),
    );
    fc.assert(
      fc.property(mutated, ([text, seed, piece]) => {
        const at = seed % (text.length + 1);
        const changed = text.slice(0, at) + piece + text.slice(at + 1);
        let isJson = true;
        try {
          JSON.parse(changed);
        } catch {
          isJson = false;
        }
        return (findSyntaxFault(changed) === null) === isJson;
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts long tokens, white space and deep nesting', () => {
    const many = 20_000_000;
    expect(findSyntaxFault(`"${'x'.repeat(many)}`)?.column).toBe(many + 2);
    expect(findSyntaxFault(`"${'\\n'.repeat(many / 2)}`)?.column).toBe(many + 2);
    expect(findSyntaxFault(`${'1'.repeat(many)}]`)?.column).toBe(many + 1);
    expect(findSyntaxFault(`1.${'1'.repeat(many)}]`)?.column).toBe(many + 3);
    expect(findSyntaxFault(`1e+${'1'.repeat(many)}]`)?.column).toBe(many + 4);
    expect(findSyntaxFault(`${' '.repeat(many)}]`)?.column).toBe(many + 1);
    expect(findSyntaxFault('['.repeat(200_000))?.column).toBe(200_001);
  });
});
