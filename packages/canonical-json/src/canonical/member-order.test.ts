import { describe, expect, it } from '@jest/globals';
import { createMemberOrders, type MemberOrder } from './member-order.js';

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('the order of members', () => {
  /** Whether a shape that was met has one order, made once. */
  const isKept = (given: readonly string[], ...before: (readonly string[])[]): boolean => {
    const orderOf = createMemberOrders('refuse');
    for (const each of [...before, given]) orderOf(each);
    return orderOf(given) === orderOf([...given]);
  };

  it('is by UTF-16 code unit, with each name quoted', () => {
    const order: MemberOrder = { names: ['B', 'a', 'é"'], prefixes: ['{"B":', ',"a":', ',"é\\"":'] };
    const orderOf = createMemberOrders('refuse');
    expect(orderOf(['a', 'é"', 'B'])).toMatchObject(order);
    expect(orderOf(['a', 'é"', 'B'])).toMatchObject(order);
    expect(orderOf([])).toMatchObject({ names: [], prefixes: [] });
  });

  it('is null for a refused lone surrogate each time', () => {
    const orderOf = createMemberOrders('refuse');
    for (const given of [['a', '\ud800'], ['\ud800'], ['a', '\ud800']]) expect(orderOf(given)).toBeNull();
    expect(createMemberOrders('escape')(['\ud800'])).toMatchObject({ prefixes: ['{"\\ud800":'] });
  });

  it('is made once for each shape', () => {
    expect(isKept(['b', 'a'])).toBe(true);
    expect(isKept([])).toBe(true);
    const orderOf = createMemberOrders('refuse');
    for (const given of [
      ['a', 'b'],
      ['a', 'c'],
      ['a', 'b', 'c'],
    ])
      orderOf(given);
    const [first, second, longer] = [orderOf(['a', 'b']), orderOf(['a', 'c']), orderOf(['a', 'b', 'c'])];
    expect(first).not.toBe(second);
    expect(longer).toMatchObject({ names: ['a', 'b', 'c'] });
    expect(orderOf(['a', 'b'])).toBe(first);
    expect(orderOf(['a', 'c'])).toBe(second);
    expect(orderOf(['a', 'b', 'c'])).toBe(longer);
  });

  it('is cached for 64 names of 256 characters at most', () => {
    expect(isKept(names('n', 64))).toBe(true);
    expect(isKept(names('n', 65))).toBe(false);
    expect(isKept(['a', 'n'.repeat(256)])).toBe(true);
    expect(isKept(['a', 'n'.repeat(257)])).toBe(false);
    expect(isKept([...names('n', 65), 'n'.repeat(257)])).toBe(false);
  });

  it('is cached for eight shapes of one first name', () => {
    const shapes = names('second', 8).map((second) => ['first', second]);
    expect(isKept(['first', 'ninth'], ...shapes.slice(1))).toBe(true);
    expect(isKept(['first', 'ninth'], ...shapes)).toBe(false);
    expect(isKept(['other', 'ninth'], ...shapes)).toBe(true);
    expect(isKept(['first', 'second0'], ...shapes)).toBe(true);
  });

  it('is kept for up to 1024 first names', () => {
    const first = names('n', 1024).map((name) => [name]);
    expect(isKept(['last'], ...first.slice(1))).toBe(true);
    expect(isKept(['last'], ...first)).toBe(false);
    expect(isKept(['n7', 'another shape'], ...first)).toBe(true);
  });
});
