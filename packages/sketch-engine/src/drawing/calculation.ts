import type { Pen, SketchFunctions } from './style.js';

type One = number | string | boolean;
type Numeric = One | readonly One[];

/** Calculation and trigonometry; the angle mode decides what trigonometry takes and gives. */
export function calculationFunctions({ radiansOf }: Pick<Pen, 'radiansOf'>): SketchFunctions {
  // Radians are the base; in degrees one unit is a 180th of PI.
  const fromRadians = (angle: number): number => angle / radiansOf(1);
  const flat = (values: readonly (number | readonly number[])[]): number[] =>
    values.flatMap((value): number | readonly number[] => value);
  return {
    abs: Math.abs,
    ceil: Math.ceil,
    floor: Math.floor,
    exp: Math.exp,
    log: Math.log,
    pow: Math.pow,
    sqrt: Math.sqrt,
    sq: (n: number) => n * n,
    sign: (n: number) => (n > 0 ? 1 : n < 0 ? -1 : 0),
    fract: (n: number) => n - Math.floor(n),
    round: (n: number, decimals = 0) => {
      const unit = 10 ** decimals;
      return Math.round(n * unit) / unit;
    },
    max: (...values: (number | readonly number[])[]) => Math.max(...flat(values)),
    min: (...values: (number | readonly number[])[]) => Math.min(...flat(values)),
    constrain,
    map(value: number, from1: number, to1: number, from2: number, to2: number, within?: boolean) {
      const mapped = from2 + (to2 - from2) * ((value - from1) / (to1 - from1));
      return within === true ? constrain(mapped, Math.min(from2, to2), Math.max(from2, to2)) : mapped;
    },
    norm: (value: number, from: number, to: number) => (value - from) / (to - from),
    lerp: (from: number, to: number, amount: number) => amount * (to - from) + from,
    mag: (x: number, y: number) => Math.sqrt(x * x + y * y),
    dist: (...at: number[]) => {
      const half = at.length / 2;
      let sum = 0;
      for (let i = 0; i < half; i++) sum += ((at[i + half] ?? 0) - (at[i] ?? 0)) ** 2;
      return Math.sqrt(sum);
    },
    sin: (angle: number) => Math.sin(radiansOf(angle)),
    cos: (angle: number) => Math.cos(radiansOf(angle)),
    tan: (angle: number) => Math.tan(radiansOf(angle)),
    asin: (ratio: number) => fromRadians(Math.asin(ratio)),
    acos: (ratio: number) => fromRadians(Math.acos(ratio)),
    atan: (ratio: number) => fromRadians(Math.atan(ratio)),
    atan2: (y: number, x: number) => fromRadians(Math.atan2(y, x)),
    radians: (degrees: number) => degrees * (Math.PI / 180),
    degrees: (radians: number) => radians * (180 / Math.PI),
    int: (value: Numeric, radix = 10) =>
      each(value, (one) =>
        typeof one === 'string'
          ? Number.parseInt(one, radix)
          : Math.abs(Number(one)) === Infinity
            ? Number(one)
            : Number(one) | 0,
      ),
    float: (value: Numeric) => each(value, (one) => Number.parseFloat(String(one))),
    str: (value: Numeric) => each(value, (one) => String(one)),
    boolean: (value: Numeric) =>
      each(value, (one) => (typeof one === 'string' ? one.toLowerCase() === 'true' : Boolean(one))),
    char: (value: Numeric) => each(value, (one) => String.fromCharCode(Number(one))),
    byte: (value: Numeric) => each(value, (one) => ((Math.trunc(Number(one)) + 128) % 256) - 128),
    unchar: (value: string | readonly string[]) => each(value, (one) => one.charCodeAt(0)),
    hex: (value: Numeric, digits = 8) =>
      each(value, (one) =>
        one === Infinity
          ? 'F'.repeat(digits)
          : (Number(one) >>> 0).toString(16).toUpperCase().padStart(digits, '0').slice(-digits),
      ),
    unhex: (value: Numeric) => each(value, (one) => Number.parseInt(String(one), 16)),
    binary: (value: number, digits = 8) => (value >>> 0).toString(2).padStart(digits, '0').slice(-digits),
    unbinary: (value: string) => Number.parseInt(value, 2),
  };
}

function constrain(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/** Converts a value, or every value of a list. */
export function each<Value, Result>(
  value: Value | readonly Value[],
  convert: (one: Value) => Result,
): Result | Result[] {
  return isList(value) ? value.map(convert) : convert(value);
}

function isList<Value>(value: Value | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}
