import { ServiceError } from '@cer/http-service';
import type { KeyAccount } from '../control-plane/accounts.js';
import type { LimitStore } from '../store/index.js';

const MINUTE_MS = 60_000;

/**
 * Counts one request of an account, whatever it holds, over all instances of the bridge. The executions of a month are
 * counted by the node alone, which knows what is a replay.
 */
export type TakeRequest = (account: KeyAccount) => Promise<void>;

/**
 * Limits accounts to the requests per minute of their plans.
 * @returns a function that throws ServiceError RATE_LIMITED
 * @see docs/spec.md, "Evidence bridge: machine path"
 */
export function requestRate(store: LimitStore, now: () => Date): TakeRequest {
  return async ({ tenantId, limits: { requestsPerMinute } }) => {
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
  };
}
