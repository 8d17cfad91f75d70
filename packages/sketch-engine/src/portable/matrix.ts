/** A transform as the canvas names it: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** First `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** @returns null where the transform flattens the plane */
export function invert([a, b, c, d, e, f]: Matrix): Matrix | null {
  const determinant = a * d - b * c;
  if (determinant === 0 || !Number.isFinite(determinant)) return null;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

export function isIdentity([a, b, c, d, e, f]: Matrix): boolean {
  return a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0;
}

export function isSame(one: Matrix, other: Matrix): boolean {
  return one.every((value, index) => value === other[index]);
}

/** Row by row, three by three: Skia's form. */
export function rowsOf([a, b, c, d, e, f]: Matrix): number[] {
  return [a, c, e, b, d, f, 0, 0, 1];
}

/** Whether every number is finite; the canvas ignores a call with one that is not. */
export function areFinite(values: readonly unknown[]): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(Number(values[i]))) return false;
  return true;
}
