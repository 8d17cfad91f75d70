import { expect, it } from '@jest/globals';

import { StoreError } from '../ports/store-error.js';
import { retryPassing } from './retry.js';

const LOST = new StoreError('STORE_UNAVAILABLE', 'the connection was lost');
const CONFLICT = new StoreError('STORE_CONTENDED', 'conflicting transactions');

it.each([
  ['a conflict', [], CONFLICT],
  ['a lost connection before conflicts', [LOST], LOST],
])('fails with %s', async (_case, first, reason) => {
  const failures = [...first];
  await expect(retryPassing(() => Promise.reject(failures.shift() ?? CONFLICT))).rejects.toBe(reason);
});
