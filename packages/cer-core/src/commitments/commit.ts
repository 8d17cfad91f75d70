import type { CanonicalizationProfile, JsonValue } from '@cer/canonical-json';
import { hmacSha256 } from '#cer-core-platform';
import { encodeHex } from '@cer/keys';
import { jcsV1 } from '../profiles.js';
import { hashedText, type Sha256Hash } from '../hash.js';
import { isSealedValue } from './sealed-value.js';

const utf8 = new TextEncoder();

export const SALT_BYTES = 32;

export type SealedField = 'input' | 'output';

/** One 32-byte salt per sealed field. With it and the raw value a holder can open that field, and only that one. */
export interface CommitmentSalts {
  readonly input: Uint8Array;
  readonly output: Uint8Array;
}

/**
 * The salts of one execution, the same on every retry.
 * @param secret the node's commitment secret: a public executionId alone must be useless to a guesser
 * @returns 32 bytes each: HMAC-SHA-256 over `["svc.commitment.v1", tenantId, executionId, field]`
 * @see docs/spec.md, "Commitments"
 */
export function deriveSalts(secret: Uint8Array, tenantId: string, executionId: string): CommitmentSalts {
  const saltFor = (field: SealedField): Uint8Array =>
    hmacSha256(secret, utf8.encode(jcsV1.canonicalize(['svc.commitment.v1', tenantId, executionId, field])));
  return { input: saltFor('input'), output: saltFor('output') };
}

/**
 * Commits to a raw value: HMAC-SHA-256 keyed by the salt, over the bytes that `hashValue` hashes.
 * @throws CerError CANONICALIZATION_ERROR when the value has no canonical form
 */
export function computeCommitment(
  value: JsonValue,
  salt: Uint8Array,
  profile: CanonicalizationProfile,
  path: string,
): Sha256Hash {
  return `sha256:${encodeHex(hmacSha256(salt, utf8.encode(hashedText(value, profile, path))))}`;
}

/** A raw value as its holder claims it. The holder distinguishes text and JSON: `{}` and `"{}"` differ. */
export type ClaimedValue =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly value: JsonValue };

/**
 * Does this raw value, with this salt, open the commitment? Independent of all other fields.
 * @param sealed the sealed object of the field, as in the bundle
 * @returns false for anything else, including a salt of another length
 * @throws CerError CANONICALIZATION_ERROR when the claimed value has no canonical form
 */
export function openCommitment(sealed: unknown, salt: Uint8Array, claimed: ClaimedValue): boolean {
  if (!isSealedValue(sealed) || salt.length !== SALT_BYTES) return false;
  const value = claimed.type === 'text' ? claimed.text : claimed.value;
  return computeCommitment(value, salt, jcsV1, 'value') === sealed.commitment;
}
