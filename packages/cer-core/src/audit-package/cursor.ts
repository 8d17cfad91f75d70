import { decodeBase64Url, decodeHex, encodeBase64Url, encodeHex, KeyError } from '@cer/keys';
import { isSha256Hash, type Sha256Hash } from '../hash.js';

/** The record that a cursor names. */
export interface CursorPlace {
  readonly certificateHash: Sha256Hash;
  readonly kind: 'full' | 'hash-only';
}

const KINDS = ['full', 'hash-only'] as const;

/**
 * Encodes a position in the list of a tenant's records: one byte for the kind, then the 32 of the hash, as base64url.
 * @see docs/spec.md, "GET /v1/records"
 */
export function formatCursor({
  certificateHash,
  kind,
}: {
  readonly certificateHash: string;
  readonly kind: string;
}): string {
  const hash = decodeHex(certificateHash.slice('sha256:'.length));
  return encodeBase64Url(Uint8Array.of(kind === 'full' ? 0 : 1, ...hash));
}

/** @returns null for text that is not a cursor */
export function parseCursor(text: string): CursorPlace | null {
  let bytes: Uint8Array;
  try {
    bytes = decodeBase64Url(text);
  } catch (error) {
    if (error instanceof KeyError) return null;
    throw error;
  }
  const kind = KINDS[bytes[0] ?? KINDS.length];
  const certificateHash = `sha256:${encodeHex(bytes.subarray(1))}`;
  return kind === undefined || !isSha256Hash(certificateHash) ? null : { certificateHash, kind };
}
