import { CONTROL_PLANE_TIMES } from '@cer/control-plane';
import { cachedLookup } from '@cer/http-service';
import type { KeyAccount } from './accounts.js';

export type FindKey = (keyHash: string) => Promise<KeyAccount | null>;

/**
 * Caches the accounts of API keys; inactive keys are cached no longer than unknown ones.
 * @param now milliseconds of a clock that is never set
 * @see docs/spec.md, "Introspection"
 */
export function cachedKeys(find: FindKey, now?: () => number): FindKey {
  return cachedLookup({ find, isFound: ({ isActive }) => isActive, times: CONTROL_PLANE_TIMES, now });
}
