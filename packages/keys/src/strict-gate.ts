import { decodeHex } from './hex.js';
import { isCanonicalAndNotSmallOrder } from './point.js';

/** L, the order of the base point, little-endian (RFC 8032, 5.1). */
const GROUP_ORDER = decodeHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

function isBelowGroupOrder(scalar: Uint8Array): boolean {
  for (let at = 31; at >= 0; at--) {
    const digit = scalar[at] ?? 0;
    const limit = GROUP_ORDER[at] ?? 0;
    if (digit !== limit) return digit < limit;
  }
  return false;
}

/**
 * The gate before every Ed25519 backend. Some accept keys of small order, such as tweetnacl and the OpenSSL of Node.js 20
 * (such a key "signs" any message), and tweetnacl accepts S + L for S (a third party could respell a genuine signature).
 * Behind this gate all backends accept the same set.
 * @param raw the public key A, 32 bytes
 * @param signature R and S, 64 bytes
 * @returns whether the lengths are exact, S < L, and A and R are canonical and not of small order
 */
export function passesStrictGate(raw: Uint8Array, signature: Uint8Array): boolean {
  return (
    raw.length === 32 &&
    signature.length === 64 &&
    isBelowGroupOrder(signature.subarray(32)) &&
    isCanonicalAndNotSmallOrder(raw) &&
    isCanonicalAndNotSmallOrder(signature.subarray(0, 32))
  );
}
