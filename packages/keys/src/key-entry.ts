import { publicKeyFromJwk, purposeFault } from './jwk.js';
import { KeyError } from './key-error.js';
import { isJsonObject, ownMember } from './own-member.js';
import { isSamePublicKey, publicKeyFromText, type PublicKey } from './public-key.js';
import { isTimestamp } from './timestamp.js';

export type KeyStatus = 'active' | 'retired' | 'revoked';

/** A key that may verify signatures, or the reason why it may not. */
export type EntryKey =
  | { readonly usable: true; readonly publicKey: PublicKey }
  | { readonly usable: false; readonly reason: string };

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
  const status = ownMember(entry, 'status') ?? 'active';
  if (status === 'active') return 'active';
  return status === 'revoked' ? 'revoked' : 'retired';
}

/** Two forms of one key. A form that cannot be read is ignored; two that can be read must agree. */
function readKey(entry: object): EntryKey {
  const fault = ownMember(entry, 'algorithm') === 'Ed25519' ? faultOfLife(entry) : 'algorithm: must be "Ed25519"';
  if (fault !== null) return unusable(fault);
  const text = readText(ownMember(entry, 'publicKey'));
  const jwk = readJwk(ownMember(entry, 'publicKeyJwk'));
  if (text.usable && jwk.usable) {
    return isSamePublicKey(text.publicKey, jwk.publicKey) ? text : unusable('publicKey: differs from publicKeyJwk');
  }
  // A form that can be read but is refused (a weak point, a private key, another use) makes the entry unusable.
  if (!text.usable && !text.isUnreadable) return text;
  if (!jwk.usable && !jwk.isUnreadable) return jwk;
  return jwk.usable ? jwk : text;
}

type Form =
  | { readonly usable: true; readonly publicKey: PublicKey }
  | { readonly usable: false; readonly reason: string; readonly isUnreadable: boolean };

function unreadable(reason: string): Form {
  return { usable: false, reason, isUnreadable: true };
}

function readText(text: unknown): Form {
  if (typeof text !== 'string') return unreadable('publicKey: must be a string');
  return readForm(() => publicKeyFromText(text));
}

function readJwk(jwk: unknown): Form {
  if (!isJsonObject(jwk)) return unreadable('publicKeyJwk: must be a JWK');
  const fault = purposeFault(jwk);
  if (fault !== null) return { usable: false, reason: `publicKeyJwk: ${fault}`, isUnreadable: false };
  return readForm(() => publicKeyFromJwk(jwk));
}

function readForm(read: () => PublicKey): Form {
  try {
    return { usable: true, publicKey: read() };
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    return { usable: false, reason: error.message, isUnreadable: error.code !== 'KEY_POINT_INVALID' };
  }
}

/** The first fault in the status, times and revocation reason of an entry, or null. */
export function faultOfLife(entry: object): string | null {
  const status = ownMember(entry, 'status') ?? 'active';
  if (status !== 'active' && status !== 'retired' && status !== 'revoked') {
    return 'status: must be "active", "retired" or "revoked"';
  }
  for (const name of TIMES) {
    if (isPresent(entry, name) && !isTimestamp(ownMember(entry, name))) return `${name}: not a timestamp`;
  }
  if (isPresent(entry, 'revocationReason') && typeof ownMember(entry, 'revocationReason') !== 'string') {
    return 'revocationReason: must be a string';
  }
  return null;
}
