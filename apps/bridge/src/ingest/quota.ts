import { ServiceError } from '@cer/http-service';
import type { KeyAccount } from '../control-plane/accounts.js';
import type { LimitStore } from '../store/index.js';

const MINUTE_MS = 60_000;

/** The limits of an account's plan, counted over all instances of the bridge. */
export interface Quota {
  /** One request, whatever it holds. @throws ServiceError RATE_LIMITED */
  takeRequest(account: KeyAccount): Promise<void>;
  /** @returns how many of `wanted` executions this month still allows; they are taken */
  reserve(account: KeyAccount, wanted: number): Promise<number>;
  /** Gives back what was reserved and not certified. */
  release(account: KeyAccount, unused: number): Promise<void>;
}

/** @see docs/spec.md, "Evidence bridge: machine path" */
export function planQuota(store: LimitStore, now: () => Date): Quota {
  const month = (): string => now().toISOString().slice(0, 7);
  return {
    takeRequest: async ({ tenantId, limits: { requestsPerMinute } }) => {
      if (requestsPerMinute === null) return;
      const at = now();
      const minute = at.toISOString().slice(0, 16);
      if (await store.takeRequest(tenantId, minute, requestsPerMinute)) return;
      const waitS = Math.ceil((MINUTE_MS - (at.getTime() % MINUTE_MS)) / 1000);
      throw new ServiceError({
        code: 'RATE_LIMITED',
        headers: {
          'retry-after': String(waitS),
          'ratelimit-limit': String(requestsPerMinute),
          'ratelimit-remaining': '0',
          'ratelimit-reset': String(waitS),
        },
      });
    },
    reserve: async ({ tenantId, limits: { executionsPerMonth } }, wanted) => {
      if (executionsPerMonth === null || wanted === 0) return wanted;
      return store.reserve(tenantId, month(), wanted, executionsPerMonth);
    },
    release: async ({ tenantId, limits: { executionsPerMonth } }, unused) => {
      if (executionsPerMonth !== null && unused > 0) await store.release(tenantId, month(), unused);
    },
  };
}
