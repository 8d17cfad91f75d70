import { setTimeout as sleep } from 'node:timers/promises';

import { StoreError, type StoreErrorCode } from '@cer/sql-store/store-error';

// A retry resolves deadlocks and serialization failures; one new connection resolves a lost one.
const ATTEMPTS: ReadonlyMap<StoreErrorCode, number> = new Map([
  ['STORE_CONTENDED', 8],
  ['STORE_UNAVAILABLE', 2],
]);

/**
 * Retries after transient failures. Only for idempotent work: a commit whose response was lost may have succeeded.
 */
export async function retryPassing<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const attempts = error instanceof StoreError ? (ATTEMPTS.get(error.code) ?? 1) : 1;
      if (attempt >= attempts) throw error;
      // Random, so that conflicting transactions do not collide again.
      await sleep(Math.random() * 2 ** Math.min(attempt, 6));
    }
  }
}
