import { networkOf, ServiceError, type ResponseHeaders, type TrustedProxies } from '@cer/http-service';
import { isIP } from 'node:net';
import type { Caller } from './key-directory.js';
import type { RatePoints } from '../store/index.js';
import { RateBlocks, type Allowance } from './rate-blocks.js';

export interface RateLimitSettings {
  /** Requests per minute of one API key; absent: no limit. */
  readonly keyRequestsPerMinute?: number | undefined;
  /** Requests per minute of one client without a (valid) key; absent: no limit. */
  readonly addressRequestsPerMinute?: number | undefined;
  /** Addresses that are not counted, for example of a verifier that forwards its visitors' requests. */
  readonly exemptAddresses?: TrustedProxies | undefined;
}

/**
 * Counts requests at admission.
 * @see docs/spec.md, "Rate limits and quotas"
 */
export interface RateLimits {
  /**
   * Counts against the limits of key and plan.
   * @returns rate limit headers, if limited
   * @throws ServiceError RATE_LIMITED
   */
  readonly countCaller: (caller: Caller) => Promise<ResponseHeaders | undefined>;
  /** Counts requests without a key or with an invalid one. @throws ServiceError RATE_LIMITED */
  readonly countAddress: (address: string) => Promise<ResponseHeaders | undefined>;
}

/** @param now a clock in milliseconds */
export function createRateLimits(settings: RateLimitSettings, points: RatePoints, now: () => number): RateLimits {
  const local = new RateBlocks(points, now);
  const { keyRequestsPerMinute, addressRequestsPerMinute, exemptAddresses } = settings;

  return {
    countCaller: async ({ tenantId, keyId, limits }) => {
      const requestsPerMinute = limits?.requestsPerMinute ?? null;
      const counts: Allowance[] = [];
      // Both count every request, including refused ones, so that neither hides the other.
      if (requestsPerMinute !== null) counts.push(await local.spend(`tenant:${tenantId}`, requestsPerMinute));
      if (keyRequestsPerMinute !== undefined) counts.push(await local.spend(`key:${keyId}`, keyRequestsPerMinute));
      return admitted(counts, 'this API key');
    },
    countAddress: async (address) => {
      if (addressRequestsPerMinute === undefined || isExempt(address, exemptAddresses)) return undefined;
      return admitted([await local.spend(`ip:${networkOf(address)}`, addressRequestsPerMinute)], 'this address');
    },
  };
}

export function isExempt(address: string, exempt: TrustedProxies | undefined): boolean {
  const version = isIP(address);
  // The address of a disconnected client is empty.
  return exempt !== undefined && version !== 0 && exempt.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function admitted(counts: readonly Allowance[], whose: string): ResponseHeaders | undefined {
  const [first, ...others] = counts;
  if (first === undefined) return undefined;
  // The exhausted limit, otherwise the one that will be exhausted first.
  const tightest = others.reduce((tight, other) => (rank(other) < rank(tight) ? other : tight), first);
  const headers = rateLimitHeaders(tightest);
  if (tightest.allowed) return headers;
  throw new ServiceError({
    code: 'RATE_LIMITED',
    message: `too many requests with ${whose}: wait`,
    headers: { ...headers, 'retry-after': headers['ratelimit-reset'] },
  });
}

function rank({ allowed, remaining }: Allowance): number {
  return allowed ? remaining + 1 : 0;
}

/** The three fields of draft-ietf-httpapi-ratelimit-headers-06. */
export function rateLimitHeaders({
  limit,
  remaining,
  resetSeconds,
}: Omit<Allowance, 'allowed'>): Readonly<Record<`ratelimit-${'limit' | 'remaining' | 'reset'}`, string>> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
}
