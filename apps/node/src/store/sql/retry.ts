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
  let lost: unknown = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof StoreError ? error.code : null;
      if (code === 'STORE_UNAVAILABLE') lost = error;
      // A conflict proves that nothing was written, but only by its own attempt.
      if (attempt >= (code === null ? 1 : (ATTEMPTS.get(code) ?? 1)))
        throw code === 'STORE_CONTENDED' ? (lost ?? error) : error;
      // Random, so that conflicting transactions do not collide again.
      await sleep(Math.random() * 2 ** Math.min(attempt, 6));
    }
  }
}
