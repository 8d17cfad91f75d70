import { describe, expect, it } from '@jest/globals';
import { withLongIntegersAsText } from './long-integers.js';

describe('long integers as text', () => {
  it.each([
    ['{"a":9007199254740993}', '{"a":"9007199254740993"}'],
    ['[-9007199254740993 ,1]', '["-9007199254740993" ,1]'],
    ['9007199254740993', '"9007199254740993"'],
    [
      '[true,18446744073709551615,false,18446744073709551615]',
      '[true,"18446744073709551615",false,"18446744073709551615"]',
    ],
  ])('has them in quotes: %s', (json, expected) => {
    expect(withLongIntegersAsText(json)).toBe(expected);
  });

  it.each([
    '{"9007199254740993":"9007199254740993"}',
    '["\\" 9007199254740993", 123456789012345]',
    '[0.12345678901234567,1e1234567890123456,12345678901234567.0]',
    `[${'9'.repeat(50)}]`,
    '{"a":"',
    '',
  ])('leaves everything else: %s', (json) => {
    expect(withLongIntegersAsText(json)).toBe(json);
  });
});
