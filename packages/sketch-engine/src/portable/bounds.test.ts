import { expect, it } from '@jest/globals';
import { boundsOf, grown, pixelsOf } from './bounds.js';

it('finds the bounds of points', () => {
  expect(boundsOf([3, 9, -1, 4, 2, 5])).toEqual([-1, 4, 3, 9]);
  expect(boundsOf([])).toEqual([Infinity, Infinity, -Infinity, -Infinity]);
});

it("finds a shape's pixels under any transform", () => {
  expect(pixelsOf([10.2, 20.8, 30, 40], [1, 0, 0, 1, 0, 0])).toEqual([9, 19, 31, 41]);
  expect(pixelsOf(grown([10, 20, 30, 40], 5), [0, 2, -1, 0, 100, 0])).toEqual([54, 9, 86, 71]);
});
