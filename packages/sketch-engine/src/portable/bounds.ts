import { multiply, type Matrix } from './matrix.js';

/** Left, top, right and bottom. */
export type Bounds = readonly [number, number, number, number];

/** @param points x and y of each */
export function boundsOf(points: readonly number[]): Bounds {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [x, y] = [points[i] ?? 0, points[i + 1] ?? 0];
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return [left, top, right, bottom];
}

/** On every side. */
export function grown([left, top, right, bottom]: Bounds, by: number): Bounds {
  return [left - by, top - by, right + by, bottom + by];
}

/** The whole pixels that a shape may touch: its edges are smooth, so one more on every side. */
export function pixelsOf([left, top, right, bottom]: Bounds, matrix: Matrix): Bounds {
  const corners = [left, top, right, top, right, bottom, left, bottom];
  const moved: number[] = [];
  for (let i = 0; i < corners.length; i += 2) {
    const [, , , , x, y] = multiply(matrix, [1, 0, 0, 1, corners[i] ?? 0, corners[i + 1] ?? 0]);
    moved.push(x, y);
  }
  const [l, t, r, b] = boundsOf(moved);
  return [Math.floor(l) - 1, Math.floor(t) - 1, Math.ceil(r) + 1, Math.ceil(b) + 1];
}
