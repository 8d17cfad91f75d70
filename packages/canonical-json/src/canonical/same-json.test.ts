import { expect, it } from '@jest/globals';
import type { JsonValue } from '../value/json-value.js';
import { isSameJson } from './same-json.js';

it.each<[JsonValue, JsonValue, boolean]>([
  [{ a: 1, b: [2] }, { b: [2.0], a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [[1, 2], [2, 1], false],
  [1, 1, true],
  [1, 2, false],
  ['1', 1, false],
  [0, -0, true],
  [null, null, true],
  [null, {}, false],
  [[], {}, false],
  ['{}', {}, false],
  [{ a: 1 }, 'a', false],
  [{ a: undefined }, {}, true],
  [['\ud800'], ['\ud800'], true],
  [{ a: NaN }, { a: NaN }, false],
])('compares %j with %j', (left, right, isSame) => {
  expect(isSameJson(left, right)).toBe(isSame);
  expect(isSameJson(right, left)).toBe(isSame);
});

it('takes one object as the same, whatever it holds', () => {
  const without = { a: NaN };
  expect(isSameJson(without, without)).toBe(true);
});
