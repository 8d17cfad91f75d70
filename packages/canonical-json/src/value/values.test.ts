import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { exceedsDepth } from './depth.js';
import { isJsonObject, member, pickPresent, setMember, type JsonValue } from './json-value.js';
import { appendPath, formatPath } from './path.js';

describe('exceedsDepth', () => {
  it.each<[unknown, number, boolean]>([
    [null, 0, false],
    ['text', 0, false],
    [[], 0, true],
    [[], 1, false],
    [{ a: 1, b: null }, 1, false],
    [{ a: 1, b: {} }, 1, true],
    [{ a: 1, b: {} }, 2, false],
    [[1, [2, [3]]], 2, true],
    [[1, [2, [3]]], 3, false],
    [{ a: ['text', { b: {} }] }, 3, true],
  ])('of %j and %d is %p', (value, limit, expected) => {
    expect(exceedsDepth(value, limit)).toBe(expected);
  });

  it('ends on a cycle', () => {
    const cycle: unknown[] = ['text'];
    cycle.push(cycle);
    expect(exceedsDepth(cycle, 50)).toBe(true);
  });
});

describe('isJsonObject', () => {
  class Own {
    readonly a = 1;
  }
  const over = (members: object): unknown => Object.create(members);

  it.each<[string, unknown, boolean]>([
    ['a literal', {}, true],
    ['an object without a prototype', Object.create(null), true],
    ['an object of another realm', runInNewContext('({ a: 1 })'), true],
    ['an array of another realm', runInNewContext('[1]'), false],
    ['a function of another realm', runInNewContext('(() => 1)'), false],
    ['null', null, false],
    ['undefined', undefined, false],
    ['text', 'text', false],
    ['a number', 5, false],
    ['a function', () => 1, false],
    ['an array', [], false],
    ['an array without a prototype', Object.setPrototypeOf([], null), false],
    ['a Date', new Date(0), false],
    ['a class instance', new Own(), false],
    ['an object over a literal', over({ a: 1 }), false],
    ['an object over one without a prototype', over(Object.create(null) as object), false],
    ['an object over its own hasOwnProperty', over({ hasOwnProperty: 1 }), false],
    ['an object over a function', over(() => 1), false],
    ['an object over a function with hasOwnProperty', over(Object.assign(() => 1, { hasOwnProperty: 1 })), false],
    [
      'an object over a function that looks like a prototype',
      over(
        Object.setPrototypeOf(
          Object.assign(() => 1, { hasOwnProperty: 1 }),
          null,
        ) as object,
      ),
      false,
    ],
  ])('judges %s', (_, value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

describe('members', () => {
  it('are own ones', () => {
    expect(member({ a: 1 }, 'a')).toBe(1);
    expect(member({ a: 1 }, 'b')).toBeUndefined();
    expect(member({}, 'toString')).toBeUndefined();
  });

  it('are picked in the order of their names', () => {
    const picked = pickPresent(JSON.parse('{"c":3,"a":null,"__proto__":4}') as Record<string, JsonValue>, [
      'a',
      'b',
      '__proto__',
      'c',
    ]);
    expect(JSON.stringify(picked)).toBe('{"a":null,"__proto__":4,"c":3}');
    expect(Object.getPrototypeOf(picked)).toBe(Object.prototype);
    expect(Object.hasOwn(pickPresent({ a: undefined }, ['a']), 'a')).toBe(false);
  });

  it('are set as plain data, __proto__ like any other', () => {
    const object: Record<string, JsonValue> = {};
    setMember(object, '__proto__', { polluted: true });
    setMember(object, 'a', 1);
    for (const name of ['__proto__', 'a']) {
      expect(Object.getOwnPropertyDescriptor(object, name)).toEqual({
        value: name === 'a' ? 1 : { polluted: true },
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });
});

describe('paths', () => {
  it.each<[readonly (string | number)[], string]>([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b', 0, 12, 'c'], 'a.b[0][12].c'],
    [[3], '[3]'],
    [['$a-_1'], '$a-_1'],
    [['1a'], '["1a"]'],
    [['-a'], '["-a"]'],
    [['a', ''], 'a[""]'],
    [['a b', 'a"b'], '["a b"]["a\\"b"]'],
    [['é'], '["é"]'],
    [['a\n'], '["a\\n"]'],
    [['n'.repeat(64)], 'n'.repeat(64)],
    [['a', 'n'.repeat(65)], `a["${'n'.repeat(64)}…"]`],
  ])('of %j are %s', (steps, path) => {
    expect(formatPath(steps)).toBe(path);
    expect(steps.reduce<string>(appendPath, '')).toBe(path);
  });
});
