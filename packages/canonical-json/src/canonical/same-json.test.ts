import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_DEPTH } from '../strict/parse.js';
import { isJsonObject, type JsonValue } from '../value/json-value.js';
import { svcV1 } from './canonicalize.js';
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

it('agrees with the canonical forms', () => {
  const formOf = (value: unknown): string | null => {
    try {
      return svcV1.canonicalize(value);
    } catch {
      return null;
    }
  };
  const leaf = fc.constantFrom<unknown>(0, -0, 1, NaN, Infinity, 'a', '\ud800', true, null, undefined, 1n, new Date(0));
  const names = fc.constantFrom('a', 'b', '__proto__', 'toJSON', '1');
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(names, tie('value')), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries) as unknown),
    ),
  }));
  fc.assert(
    fc.property(value, value, (left, right) => {
      const [one, other] = [formOf(left), formOf(right)];
      expect(isSameJson(left, right)).toBe(left === right || (one !== null && one === other));
      const copy = structuredCopy(left);
      expect(isSameJson(left, copy)).toBe(left === copy || one !== null);
    }),
    { numRuns: 2000 },
  );
});

it.each([160, 161])('knows how deep %s levels are', (levels) => {
  const nested = (): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  expect(isSameJson(nested(), nested())).toBe(levels <= MAX_DEPTH.canonical);
});

/** Other containers with the same leaves. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, structuredCopy(inner)]));
}
