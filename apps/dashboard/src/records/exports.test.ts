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
