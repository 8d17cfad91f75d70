import { expect, it } from '@jest/globals';
import { isFromTheFuture, isTouchDue } from './session-times.js';

const AT = '2026-03-01T12:00:00.000Z';
const at = Date.parse(AT);

it('a session may start five minutes ahead of this clock', () => {
  expect([at, at - 300_000, at - 300_001].map((now) => isFromTheFuture(AT, now))).toEqual([false, false, true]);
});

it('the last use is written ten times per idle time', () => {
  const isDue = (now: number): boolean => isTouchDue(AT, now, { idleMs: 100_000 });
  expect([at, at + 10_000, at + 10_001, at - 10_000, at - 10_001].map(isDue)).toEqual([
    ...[false, false, true],
    ...[false, true],
  ]);
});
