import { expect, it } from '@jest/globals';
import { createExports } from './exports.js';

it('keeps the exports of an account while another one opens many', () => {
  const exports = createExports(() => new Date('2026-01-02T03:04:05Z'));
  const own = exports.announce('one', null);
  const others = Array.from({ length: 2000 }, () => exports.announce('other', null));
  expect(exports.find('one', own)).toMatchObject({ state: 'announced' });
  const kept = others.filter((id) => exports.find('other', id) !== null);
  expect(kept).toEqual(others.slice(-100));
});

it('keeps a long export for an hour after its end', async () => {
  const MINUTE_MS = 60_000;
  let nowMs = Date.parse('2026-01-02T03:04:05Z');
  const exports = createExports(() => new Date(nowMs));
  const announceOther = (): string => exports.announce('one', null);
  const id = announceOther();
  const parts = exports.follow('one', id, new Response('package'), async () => undefined)[Symbol.asyncIterator]();
  await parts.next();
  nowMs += 90 * MINUTE_MS;
  await parts.next();
  nowMs += 59 * MINUTE_MS;
  announceOther();
  expect(exports.find('one', id)).toMatchObject({ state: 'done', bytes: 7 });
  nowMs += 2 * MINUTE_MS;
  announceOther();
  expect(exports.find('one', id)).toBeNull();
});
