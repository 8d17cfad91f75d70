import { compareTimestamps, parseTimestamp, type KeyEntry, type NodeKeySet, type PublicKey } from '@cer/keys';
import type { FailureCode } from '../errors.js';

/** A key for a signature, or why there is none. Only the caller's key set is asked, and there is no second choice. */
export type KeyChoice =
  | { readonly key: PublicKey; readonly entry: KeyEntry }
  | { readonly key: null; readonly entry: KeyEntry | null; readonly code: FailureCode; readonly detail: string };

/**
 * Chooses the key that a signature names, as it stood at a time.
 * @param kid from what was signed
 * @param at the time of signing, a valid timestamp; the ends of a key's life are inclusive
 * @see docs/spec.md, "Key choice"
 */
export function chooseKey(keySet: NodeKeySet | null, kid: string, at: string): KeyChoice {
  const refuse = (code: FailureCode, detail: string, entry: KeyEntry | null = null): KeyChoice => ({
    key: null,
    entry,
    code,
    detail,
  });
  if (keySet === null) {
    return refuse('VERIFICATION_MATERIAL_UNAVAILABLE', 'no key set of the node was given, so no signature was checked');
  }
  const entry = keySet.entries.get(kid);
  if (entry === undefined) return refuse('ATTESTATION_KEY_NOT_FOUND', 'names a key that is not in the key set');
  if (!isWithinLife(entry, at)) {
    return refuse('ATTESTATION_KEY_NOT_FOUND', "is dated outside the key's life", entry);
  }
  if (entry.status === 'revoked') return refuse('KEY_REVOKED', 'names a key that was revoked', entry);
  if (!entry.key.usable)
    return refuse('ATTESTATION_KEY_FORMAT_UNSUPPORTED', `names a key that is unusable: ${entry.key.reason}`, entry);
  return { key: entry.key.publicKey, entry };
}

function isWithinLife({ notBefore, retiredAt }: KeyEntry, at: string): boolean {
  return !isAfter(notBefore, at) && !isAfter(at, retiredAt);
}

/** Is `left` later than `right`? Unknown times decide nothing. */
export function isAfter(left: string | undefined, right: string | undefined): boolean {
  const a = parseTimestamp(left);
  const b = parseTimestamp(right);
  return a !== null && b !== null && compareTimestamps(a, b) > 0;
}
