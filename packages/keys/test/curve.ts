/** Independent curve arithmetic, from which the cases for the strict gate are derived. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { createHash } from 'node:crypto';

export const P = ed25519.Point.Fp.ORDER;
export const L = ed25519.Point.Fn.ORDER;

export type CurvePoint = InstanceType<typeof ed25519.Point>;

/** 32 bytes, little-endian. */
export function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));
}

export function fromLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** y in 255 bits and the sign of x, whether or not it is the canonical encoding of a point. */
export function encodingOf(y: bigint, sign: 0 | 1): Uint8Array {
  return littleEndian(y | (BigInt(sign) << 255n));
}

/** The eight points whose order divides 8: multiples of L times some point, until one has order 8. */
export function torsionPoints(): CurvePoint[] {
  for (let y = 2n; ; y++) {
    const generator = decodedOrNull(encodingOf(y, 0))?.multiplyUnsafe(L - 1n);
    // L times Q, written as (L - 1) times Q plus Q, because the library takes scalars below L.
    const candidate = generator?.add(ed25519.Point.fromBytes(encodingOf(y, 0)));
    if (candidate === undefined || candidate.double().double().is0()) continue;
    const points = [ed25519.Point.ZERO];
    for (let count = 1; count < 8; count++) points.push((points[count - 1] ?? ed25519.Point.ZERO).add(candidate));
    return points;
  }
}

function decodedOrNull(encoding: Uint8Array): CurvePoint | null {
  try {
    return ed25519.Point.fromBytes(encoding);
  } catch {
    return null;
  }
}

/** Every encoding that a decoder without canonicity checks reads as a point of small order. */
export function smallOrderEncodings(): Uint8Array[] {
  const ys = new Set(torsionPoints().map((point) => point.toAffine().y));
  const spellings = [...ys].flatMap((y) => (y + P < 1n << 255n ? [y, y + P] : [y]));
  return spellings.flatMap((y) => [encodingOf(y, 0), encodingOf(y, 1)]);
}

/** Every encoding whose y is not below p. */
export function nonCanonicalY(): Uint8Array[] {
  const count = Number((1n << 255n) - P);
  return Array.from({ length: count }, (_, at) => P + BigInt(at)).flatMap((y) => [encodingOf(y, 0), encodingOf(y, 1)]);
}

/** The challenge of RFC 8032, 5.1.7: SHA-512(R, A, message) as a little-endian number, mod L. */
export function challenge(r: Uint8Array, a: Uint8Array, message: Uint8Array): bigint {
  return fromLittleEndian(createHash('sha512').update(r).update(a).update(message).digest()) % L;
}

/**
 * Forges a signature from the equation alone, with encodings of A and R chosen by the caller.
 * @param key a such that the prime-order part of A is aB
 * @param nonce r such that the prime-order part of R is rB
 */
export function forgeSignature(
  key: { readonly scalar: bigint; readonly encoding: Uint8Array },
  nonce: { readonly scalar: bigint; readonly encoding: Uint8Array },
  message: Uint8Array,
): Uint8Array {
  const s = (nonce.scalar + challenge(nonce.encoding, key.encoding, message) * key.scalar) % L;
  return Uint8Array.from([...nonce.encoding, ...littleEndian(s)]);
}
