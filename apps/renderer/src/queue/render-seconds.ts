import { ServiceError } from '@cer/http-service';

/** Remaining render time per tenant. */
export interface RenderSeconds {
  /** @throws ServiceError RATE_LIMITED when the tenant has used up its time */
  check(tenantId: string): void;
  /** Charges a job's time; a tenant may end below zero and then waits longer. */
  spend(tenantId: string, seconds: number): void;
}

interface Account {
  readonly left: number;
  readonly atMs: number;
}

const HOUR_SECONDS = 3600;
const MAX_ACCOUNTS = 10_000;

/** A bucket per tenant that fills evenly over an hour. Kept in memory: a restart refills all buckets. */
export function createRenderSeconds(perHour: number, now: () => number = () => performance.now()): RenderSeconds {
  const accounts = new Map<string, Account>();
  const leftOf = (tenantId: string): number => {
    const account = accounts.get(tenantId);
    if (account === undefined) return perHour;
    return Math.min(perHour, account.left + ((now() - account.atMs) / 1000 / HOUR_SECONDS) * perHour);
  };
  return {
    check(tenantId) {
      const left = leftOf(tenantId);
      if (left > 0) return;
      const retryAfter = Math.ceil(((1 - left) * HOUR_SECONDS) / perHour);
      throw new ServiceError({
        code: 'RATE_LIMITED',
        message: 'the render seconds of this tenant are used up',
        headers: { 'retry-after': String(retryAfter) },
      });
    },
    spend(tenantId, seconds) {
      const account = { left: leftOf(tenantId) - seconds, atMs: now() };
      accounts.delete(tenantId);
      accounts.set(tenantId, account);
      const [oldest] = accounts.keys();
      if (accounts.size > MAX_ACCOUNTS && oldest !== undefined) accounts.delete(oldest);
    },
  };
}
