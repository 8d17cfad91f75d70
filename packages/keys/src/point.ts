import { decodeHex } from './hex.js';
import { jacobiSymbol } from './jacobi.js';

/**
 * Encodings of edwards25519 points that are accepted as a key (A) or as the first half of a signature (R). An encoding
 * is y in 255 bits, little-endian, then the sign of x in the topmost bit (RFC 8032, 5.1.2).
 */
const P = 2n ** 255n - 19n;

/** d = -121665/121666 mod p, the curve constant of RFC 8032, 5.1. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** The only values of y for points of order 1, 2, 4 or 8; each is rejected with both signs of x. */
const SMALL_ORDER_Y: readonly Uint8Array[] = [
  '0000000000000000000000000000000000000000000000000000000000000000', // order 4
  '0100000000000000000000000000000000000000000000000000000000000000', // order 1
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // order 2
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
].map(decodeHex);

/** Whether y is below p, so that the encoding is the only one of its point (up to x = 0, which is of small order). */
function isReduced(encoding: Uint8Array): boolean {
  if (((encoding[31] ?? 0) & 0x7f) !== 0x7f) return true;
  for (let at = 30; at > 0; at--) if (encoding[at] !== 0xff) return true;
  return (encoding[0] ?? 0) < 0xed;
}

function hasSameY(encoding: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < 31; at++) if (encoding[at] !== other[at]) return false;
  return ((encoding[31] ?? 0) & 0x7f) === other[31];
}

/**
 * The encoding rule of the strict gate.
 * @param encoding exactly 32 bytes
 * @returns whether it is canonical and not one of the eight points of small order; does not check that it lies on the
 * curve, since every backend does
 */
export function isCanonicalAndNotSmallOrder(encoding: Uint8Array): boolean {
  return isReduced(encoding) && !SMALL_ORDER_Y.some((small) => hasSameY(encoding, small));
}

/**
 * Whether some x fits the y of an encoding: x^2 = (y^2 - 1) / (d y^2 + 1) must be a square mod p. Takes some 20
 * microseconds, so it runs once per key and never per signature.
 * @param encoding exactly 32 bytes, canonical
 */
export function isOnCurve(encoding: Uint8Array): boolean {
  const words = new DataView(encoding.buffer, encoding.byteOffset, 32);
  let y = words.getBigUint64(24, true) & 0x7fff_ffff_ffff_ffffn;
  for (let at = 16; at >= 0; at -= 8) y = (y << 64n) | words.getBigUint64(at, true);
  const ySquared = y ** 2n % P;
  // u / v is a square exactly when u * v is: no inversion needed. 0 is a square (x = 0).
  return jacobiSymbol((ySquared - 1n + P) * (D * ySquared + 1n), P) !== -1;
}
