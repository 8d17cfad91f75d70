import {
  jcsV1 as strictJcsV1,
  JsonError,
  svcV1 as strictSvcV1,
  type CanonicalizationProfile,
  type JsonValue,
} from '@cer/canonical-json';
import { CerError } from './errors.js';

/** The legacy profile of protocol 1.2.0. `canonicalize` throws CerError CANONICALIZATION_ERROR. */
export const svcV1 = refusingAsCer(strictSvcV1);

/** RFC 8785, strictly. `canonicalize` throws CerError CANONICALIZATION_ERROR. */
export const jcsV1 = refusingAsCer(strictJcsV1);

function refusingAsCer({ name, canonicalize }: CanonicalizationProfile): CanonicalizationProfile {
  return {
    name,
    canonicalize: (value) => {
      try {
        return canonicalize(value);
      } catch (error) {
        if (error instanceof JsonError) throw new CerError('CANONICALIZATION_ERROR', error.path, error.rule);
        throw error;
      }
    },
  };
}

/**
 * The form in svc-v1, or null without one. For a value that many others are compared with: `isSameJson` would read a
 * large one again for each.
 */
export function formOf(value: JsonValue): string | null {
  try {
    return svcV1.canonicalize(value);
  } catch {
    return null;
  }
}
