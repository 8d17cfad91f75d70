import { expect, it } from '@jest/globals';
import { checkOnce } from './known-points.js';

it('checks each encoding once, whatever the answer', () => {
  const checked: number[] = [];
  const check = checkOnce((encoding) => {
    checked.push(encoding[31] ?? 0);
    return encoding[31] === 1;
  });
  const encodings = [1, 2, 0x80].map((last) => new Uint8Array(32).fill(last, 31));
  for (let pass = 0; pass < 3; pass++) expect(encodings.map(check)).toEqual([true, false, false]);
  expect(checked).toEqual([1, 2, 0x80]);
});

it('forgets the oldest encodings beyond its limit', () => {
  let checks = 0;
  const check = checkOnce(() => ++checks > 0, 2);
  for (const last of [1, 2, 3, 3, 2, 1]) check(new Uint8Array(32).fill(last));
  expect(checks).toBe(4);
});

it('distinguishes encodings that differ in any one byte', () => {
  const seen = new Set<string>();
  const check = checkOnce((encoding) => {
    seen.add(encoding.join());
    return true;
  });
  for (let at = 0; at < 32; at++) {
    for (let byte = 0; byte < 256; byte++) check(new Uint8Array(32).fill(byte, at, at + 1));
  }
  expect(seen.size).toBe(32 * 255 + 1);
});
