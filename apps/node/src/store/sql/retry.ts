import { setTimeout as sleep } from 'node:timers/promises';

import { StoreError, type StoreErrorCode } from '../ports/store-error.js';

// A deadlock or a serialization failure is solved by trying again; a lost connection by one new connection.
const ATTEMPTS: ReadonlyMap<StoreErrorCode, number> = new Map([
  ['STORE_CONTENDED', 8],
  ['STORE_UNAVAILABLE', 2],
]);

/**
 * Repeats what the database gave up for a passing reason. Only for work that may run twice: a commit whose answer was
 * lost on the way may have happened.
 */
export async function retryPassing<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const attempts = error instanceof StoreError ? (ATTEMPTS.get(error.code) ?? 1) : 1;
      if (attempt >= attempts) throw error;
      // Random, so that two that met do not meet again.
      await sleep(Math.random() * 2 ** Math.min(attempt, 6));
    }
  }
}
