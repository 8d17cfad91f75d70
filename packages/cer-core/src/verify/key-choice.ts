import { compareTimestamps, parseTimestamp, type KeyEntry, type NodeKeySet, type PublicKey } from '@cer/keys';
import type { FailureCode } from '../errors.js';
import type { Finding } from '../finding.js';
import { rescueKey, type KeyRescue } from './key-rescue.js';
import type { SoundTimestamp } from './timestamp-verifier.js';

/** A key for a signature, or why there is none. Only the caller's key set is used, without fallback. */
export type KeyChoice =
  | { readonly key: PublicKey; readonly entry: KeyEntry; readonly rescue: KeyRescue | null }
  | Refusal;

interface Refusal {
  readonly key: null;
  readonly entry: KeyEntry | null;
  readonly code: FailureCode;
  readonly detail: string;
  /** The key, where only its dates forbid it: a signature that it did not make is the more important fault. */
  readonly misdated: PublicKey | null;
}

const NO_KEY_SET = {
  code: 'VERIFICATION_MATERIAL_UNAVAILABLE',
  detail: 'no key set of the node was given, so no signature was checked',
} as const;

/** The finding that comes before the form of a receipt: without the caller's key set no signature is checked. */
export function missingKeys(keySet: NodeKeySet | null, at: string): readonly Finding[] {
  return keySet === null ? [{ ...NO_KEY_SET, member: at }] : [];
}

/**
 * Chooses the key that a signature names, by its state at a time.
 * @param kid from what was signed
 * @param at the time of signing, a valid timestamp; the ends of a key's life are inclusive
 * @param timestamps verified timestamps over the receipt and its signature: they prove signing before a later revocation
 * @see docs/spec.md, "Key choice"
 */
export function chooseKey(
  keySet: NodeKeySet | null,
  kid: string,
  at: string,
  timestamps: readonly SoundTimestamp[],
): KeyChoice {
  const refuse = (code: FailureCode, detail: string, entry: KeyEntry | null = null): Refusal => ({
    key: null,
    entry,
    code,
    detail,
    misdated: null,
  });
  if (keySet === null) return refuse(NO_KEY_SET.code, NO_KEY_SET.detail);
  const entry = keySet.entries.get(kid);
  if (entry === undefined) return refuse('ATTESTATION_KEY_NOT_FOUND', 'names a key that is not in the key set');
  if (!isWithinLife(entry, at)) {
    const misdated = entry.key.usable ? entry.key.publicKey : null;
    return { ...refuse('ATTESTATION_KEY_NOT_FOUND', "is dated outside the key's life", entry), misdated };
  }
  const revoked = entry.status === 'revoked' ? rescueKey(entry, timestamps) : null;
  if (revoked?.rescue === null) return refuse('KEY_REVOKED', revoked.detail, entry);
  if (!entry.key.usable)
    return refuse('ATTESTATION_KEY_FORMAT_UNSUPPORTED', `names a key that is unusable: ${entry.key.reason}`, entry);
  return { key: entry.key.publicKey, entry, rescue: revoked?.rescue ?? null };
}

function isWithinLife({ notBefore, retiredAt }: KeyEntry, at: string): boolean {
  return !isAfter(notBefore, at) && !isAfter(at, retiredAt);
}

/** Is `left` later than `right`? False for unknown times. */
export function isAfter(left: string | undefined, right: string | undefined): boolean {
  const a = parseTimestamp(left);
  const b = parseTimestamp(right);
  return a !== null && b !== null && compareTimestamps(a, b) > 0;
}
