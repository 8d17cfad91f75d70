import { expect, it } from '@jest/globals';
import { createRenderSeconds } from './render-seconds.js';

it('refuses a tenant until its hourly render seconds are available again', () => {
  let nowMs = 0;
  const account = createRenderSeconds(60, () => nowMs);
  account.check('a');
  account.spend('a', 90);
  expect(() => {
    account.check('a');
  }).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      refusal: expect.objectContaining({ headers: { 'retry-after': '1860' } }),
    }),
  );
  account.check('b');
  nowMs = 29 * 60_000;
  expect(() => {
    account.check('a');
  }).toThrow();
  nowMs = 31 * 60_000;
  account.check('a');
});
