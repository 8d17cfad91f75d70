import { expect, it } from '@jest/globals';
import { takeOperations } from './operations.js';

it('counts each call of a function that runs so often that the engine would optimize it', () => {
  let sum = 0;
  const add = (value: number): void => {
    sum += value;
  };
  const counts = Array.from({ length: 200 }, () => {
    takeOperations();
    for (let at = 0; at < 20_000; at += 1) add(at);
    return takeOperations();
  });
  expect(sum).toBeGreaterThan(0);
  expect(Math.min(...counts)).toBeGreaterThan(2 * 20_000);
  expect(new Set(counts.slice(1)).size).toBe(1);
});
