import { cachedLookup, type CacheTimes } from '@cer/http-service';
import type { KeyAccount } from './accounts.js';

/** A revoked key stops working within this time. */
const TIMES: CacheTimes = { foundMs: 1_500, unknownMs: 1_000 };

export type FindKey = (keyHash: string) => Promise<KeyAccount | null>;

/**
 * Caches the accounts of API keys; inactive keys are cached no longer than unknown ones.
 * @param now milliseconds of a clock that is never set
 * @see docs/spec.md, "Introspection"
 */
export function cachedKeys(find: FindKey, now?: () => number): FindKey {
  return cachedLookup({ find, isFound: ({ isActive }) => isActive, times: TIMES, now });
}
