import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readMathModule } from '../files/math-module.js';
import { pinMath } from './math.js';

const pinned = Object.create(null, Object.getOwnPropertyDescriptors(Math)) as Math;
const ONE = ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const;
const MORE = ['exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'cbrt'] as const;
const SPECIAL = [
  0,
  -0,
  1,
  -1,
  0.5,
  2,
  Infinity,
  -Infinity,
  NaN,
  5e-324,
  -5e-324,
  1.7976931348623157e308,
  1e22,
  Math.PI,
];

/** Numbers of every size, the same on every machine: xorshift32 as mantissa and exponent. */
function* numbers(count: number): Generator<number> {
  let state = 2_463_534_242;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    return (state ^= state << 5) >>> 0;
  };
  for (let i = 0; i < count; i++) {
    const exponent = (next() % 40) - 25;
    let scale = 1;
    for (let k = 0; k < Math.abs(exponent); k++) scale *= exponent < 0 ? 0.5 : 2;
    yield (next() / 0x8000_0000 - 1) * scale;
  }
}

beforeAll(async () => {
  pinMath(pinned, (await readMathModule()).toString('base64'));
});

describe('The pinned Math', () => {
  it('gives the same bits in every engine and machine', () => {
    const hash = createHash('sha256');
    const take = (value: number): void => {
      // Only which numbers are NaN is pinned, not their bits.
      hash.update(Float64Array.of(Number.isNaN(value) ? -12345 : value));
    };
    const values = [...SPECIAL, ...numbers(20_000)];
    for (const name of [...ONE, ...MORE]) for (const value of values) take(pinned[name](value));
    for (const name of ['pow', 'atan2', 'hypot'] as const)
      values.forEach((value, i) => {
        take(pinned[name](value, values[(i * 7 + 3) % values.length] ?? 0));
      });
    expect(hash.digest('hex')).toBe('0bed897401add4c58c1b9b2b868ebf292aece246babfeaed0626d83f401dac28');
  });

  it('stays within a few last bits of the native functions', () => {
    const isNear = (own: number, native: number): boolean =>
      Number.isFinite(native) ? Math.abs(own - native) <= Math.abs(native) * 2 ** -49 : Object.is(own, native);
    for (const name of [...ONE, ...MORE]) {
      const values = [...SPECIAL, ...numbers(5000)];
      expect(values.filter((value) => !isNear(pinned[name](value), Math[name](value)))).toEqual([]);
    }
  });

  it.each([
    [1, NaN],
    [1, Infinity],
    [-1, -Infinity],
    [NaN, 0],
    [0, -1],
    [-0, -3],
    [-8, 1 / 3],
    [-2, 3],
    [2, 1023],
    [2, -1074],
    [-0, 0.5],
    [-Infinity, 0.5],
  ])('keeps the edges of pow(%d, %d)', (base, exponent) => {
    expect(pinned.pow(base, exponent)).toBe(base ** exponent);
  });

  it('takes hypot of any number of values', () => {
    expect([pinned.hypot(), pinned.hypot(-0), pinned.hypot(3, 4), pinned.hypot(1, 2, 2)]).toEqual([0, 0, 5, 3]);
    expect([pinned.hypot(NaN, -Infinity), pinned.hypot(NaN, 1), pinned.hypot(1e300, 1e300)]).toEqual([
      Infinity,
      NaN,
      Math.SQRT2 * 1e300,
    ]);
  });

  it('converts arguments and describes itself as the language asks', () => {
    expect([Reflect.apply(pinned.sin, undefined, ['0']), Reflect.apply(pinned.hypot, undefined, [null, '3'])]).toEqual([
      0, 3,
    ]);
    expect(() => Reflect.apply(pinned.sin, undefined, [1n]) as unknown).toThrow(TypeError);
    for (const name of ['sin', 'atan2', 'pow', 'hypot', 'cbrt'] as const)
      expect([pinned[name].name, pinned[name].length]).toEqual([name, Math[name].length]);
    expect(Object.keys(pinned)).toEqual([]);
    expect(() => Reflect.construct(pinned.sin, []) as unknown).toThrow(TypeError);
  });
});
