import { publicKeyFromJwk } from './jwk.js';
import { KeyError } from './key-error.js';
import { ownMember } from './own-member.js';
import { isSamePublicKey, publicKeyFromBase64, type PublicKey } from './public-key.js';
import { parseTimestamp } from './timestamp.js';

export type KeyStatus = 'active' | 'retired' | 'revoked';

/** A key that may verify signatures, or the reason why it may not. */
export type EntryKey =
  { readonly usable: true; readonly publicKey: PublicKey } | { readonly usable: false; readonly reason: string };

/** One key of a node's key set. All times of a usable entry are well formed. */
export interface KeyEntry {
  readonly kid: string;
  /** `retired` for an unusable entry with an unknown status, because it cannot sign. */
  readonly status: KeyStatus;
  readonly key: EntryKey;
  readonly createdAt?: string;
  /** Absent: no lower bound. */
  readonly notBefore?: string;
  readonly retiredAt?: string;
  readonly revokedAt?: string;
  readonly compromisedSince?: string;
  readonly revocationReason?: string;
  /** Imported keys only: receipts before this time may cover a hash without the context. */
  readonly contextUnprotectedBefore?: string;
}

const TIMES = [
  'createdAt',
  'notBefore',
  'retiredAt',
  'revokedAt',
  'compromisedSince',
  'contextUnprotectedBefore',
] as const;
const TEXTS = [...TIMES, 'revocationReason'] as const;

/** Members that only a revoked key has: each of them overrides `status`. */
const REVOCATION_MEMBERS = ['revokedAt', 'compromisedSince', 'revocationReason'] as const;

export function unusable(reason: string): EntryKey {
  return { usable: false, reason };
}

/** Many writers use null for an absent value, most often `revokedAt: null`. */
function isPresent(entry: object, name: string): boolean {
  const value = ownMember(entry, name);
  return value !== undefined && value !== null;
}

/**
 * Reads one entry; any fault makes its key unusable.
 * @param entry untrusted parsed JSON whose `kid` is the given one
 */
export function parseKeyEntry(kid: string, entry: object): KeyEntry {
  return { kid, status: readStatus(entry), key: readKey(entry), ...readLifeTexts(entry) };
}

/** The times and the reason of an entry, where they are strings. */
export function readLifeTexts(entry: object): Partial<Record<(typeof TEXTS)[number], string>> {
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) {
    const value = ownMember(entry, name);
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

/** The effective status: any revocation member overrides `status`. */
export function readStatus(entry: object): KeyStatus {
  if (REVOCATION_MEMBERS.some((name) => isPresent(entry, name))) return 'revoked';
  const status = ownMember(entry, 'status');
  if (status === undefined || status === 'active') return 'active';
  return status === 'revoked' ? 'revoked' : 'retired';
}

function readKey(entry: object): EntryKey {
  const fault = faultOf(entry);
  if (fault !== null) return unusable(fault);
  try {
    const publicKey = publicKeyFromBase64(String(ownMember(entry, 'publicKey')));
    const jwk = ownMember(entry, 'publicKeyJwk');
    if (jwk !== undefined && !isSamePublicKey(publicKey, publicKeyFromJwk(jwk))) {
      return unusable('publicKey: differs from publicKeyJwk');
    }
    return { usable: true, publicKey };
  } catch (error) {
    if (error instanceof KeyError) return unusable(error.message);
    throw error;
  }
}

function faultOf(entry: object): string | null {
  if (ownMember(entry, 'algorithm') !== 'Ed25519') return 'algorithm: must be "Ed25519"';
  if (typeof ownMember(entry, 'publicKey') !== 'string') return 'publicKey: must be a string';
  return faultOfLife(entry);
}

/** The first fault in the status, times and revocation reason of an entry, or null. */
export function faultOfLife(entry: object): string | null {
  const status = ownMember(entry, 'status');
  if (status !== undefined && status !== 'active' && status !== 'retired' && status !== 'revoked') {
    return 'status: must be "active", "retired" or "revoked"';
  }
  for (const name of TIMES) {
    if (isPresent(entry, name) && parseTimestamp(ownMember(entry, name)) === null) return `${name}: not a timestamp`;
  }
  if (isPresent(entry, 'revocationReason') && typeof ownMember(entry, 'revocationReason') !== 'string') {
    return 'revocationReason: must be a string';
  }
  return null;
}
