import { describe, expect, it } from '@jest/globals';
import { redact } from './redact.js';

describe('redacting', () => {
  it('replaces the values at the paths and nothing else', () => {
    const value = { a: { b: [1, { c: 2 }, 3], d: 4 }, e: 5, '0': 6, ['__proto__']: 7 };
    const paths = [['a', 'b', 1, 'c'], ['a', 'd'], ['e', 'nowhere'], ['nowhere'], ['a', 'b', '0'], ['__proto__']];
    expect(redact(value, paths)).toEqual({
      a: { b: [1, { c: '[REDACTED]' }, 3], d: '[REDACTED]' },
      e: 5,
      '0': 6,
      ['__proto__']: '[REDACTED]',
    });
  });

  it('replaces a whole value despite longer paths', () => {
    expect(redact({ a: { b: 1 } }, [['a', 'b'], ['a']])).toEqual({ a: '[REDACTED]' });
  });

  // A body within its limit may hold a million members: work that grows with their square would take hours.
  it('visits each path only a few times', () => {
    let reads = 0;
    const counted = (path: string[]): string[] =>
      new Proxy(path, {
        get: (target, name, receiver) => {
          reads += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
    const names = Array.from({ length: 2000 }, (_item, index) => `m${index}`);
    const value = Object.fromEntries(names.map((name) => [name, 1]));
    const redacted = redact(
      value,
      names.map((name) => counted([name])),
    );
    expect(new Set(Object.values(redacted))).toEqual(new Set(['[REDACTED]']));
    expect(reads).toBeLessThan(20 * names.length);
  });
});
