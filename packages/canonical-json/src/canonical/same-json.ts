import { svcV1 } from './canonicalize.js';
import type { JsonValue } from '../value/json-value.js';

/** Do two values have the same canonical form? False when either has none. */
export function isSameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  try {
    return svcV1.canonicalize(left) === svcV1.canonicalize(right);
  } catch {
    // Without a canonical form nothing can be said to be equal.
    return false;
  }
}
