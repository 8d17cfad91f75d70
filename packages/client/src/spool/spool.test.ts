import { expect, it } from '@jest/globals';
import { earliest } from './spool.js';

it('finds the earliest of more times than a function takes arguments', () => {
  const times = Array.from({ length: 200_000 }, (_, at) => (at % 2 === 0 ? null : at));
  expect([earliest(times), earliest([null]), earliest([])]).toEqual([1, null, null]);
});
