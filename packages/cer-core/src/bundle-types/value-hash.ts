import type { CanonicalizationProfile, JsonValue } from '@cer/canonical-json';
import type { FailureCode } from '../errors.js';
import { canonicalizationFinding, type Finding } from '../finding.js';
import { hashValue } from '../hash.js';

/** A value and the hash beside it, both members of the object at `path` (`snapshot.`). */
interface HashedMember {
  readonly path: string;
  readonly name: string;
  readonly hashName: string;
  readonly code: FailureCode;
}

/**
 * Compares a raw value with the hash beside it.
 * @returns null where they agree; a value without canonical form is a finding too, so that the others are still compared
 */
export function valueHashFinding(
  value: JsonValue,
  expected: string,
  profile: CanonicalizationProfile,
  { path, name, hashName, code }: HashedMember,
): Finding | null {
  try {
    const computed = hashValue(value, profile, `${path}${name}`);
    if (computed === expected) return null;
    return { code, member: `${path}${hashName}`, detail: `does not match ${name}`, expected, computed };
  } catch (error) {
    return canonicalizationFinding(error);
  }
}
