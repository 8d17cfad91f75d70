/** Bits of a limb; even, since (2/n) to an even power is 1. */
const LIMB = 30;
const MASK = 2 ** LIMB - 1;
const LIMBS = 9;

/**
 * The Jacobi symbol (a/n), by the binary form of the Euclidean algorithm. For a prime n it is the Legendre symbol, without
 * the modular power of Euler's criterion. It computes in limbs, lowest first, because each step in BigInt makes garbage.
 * @param a from 0
 * @param n odd, above 0 and below 2^270
 * @returns 1 for a square modulo a prime n, -1 for a non-square, 0 when a and n have a common factor
 */
export function jacobiSymbol(a: bigint, n: bigint): -1 | 0 | 1 {
  let [top, bottom] = [limbsOf(a % n), limbsOf(n)];
  /** Limbs that are not 0 in both. */
  let used = LIMBS;
  /** Only its lowest bit counts. */
  let sign = 0;
  for (;;) {
    if (top[0] === 0) {
      if (isEqual(top, 0)) break;
      top.copyWithin(0, 1);
      continue;
    }
    const twos = shiftToOdd(top, used);
    // (2/bottom) is -1 for 3 and 5 modulo 8.
    sign ^= twos & ((limb(bottom, 0) >> 1) ^ (limb(bottom, 0) >> 2));
    if (isBelow(top, bottom, used)) {
      [top, bottom] = [bottom, top];
      // (top/bottom) is -(bottom/top) when both are 3 modulo 4.
      sign ^= (limb(top, 0) & limb(bottom, 0)) >> 1;
    }
    while (top[used - 1] === 0) used--;
    subtract(top, bottom, used);
  }
  if (!isEqual(bottom, 1)) return 0;
  return (sign & 1) === 1 ? -1 : 1;
}

/** @returns with one limb more, which stays 0 */
function limbsOf(value: bigint): Int32Array {
  const limbs = new Int32Array(LIMBS + 1);
  for (let at = 0, rest = value; at < LIMBS; at++, rest >>= 30n) limbs[at] = Number(BigInt.asUintN(LIMB, rest));
  return limbs;
}

function limb(limbs: Int32Array, at: number): number {
  return limbs[at] ?? 0;
}

function isEqual(limbs: Int32Array, low: number): boolean {
  return limbs.every((each, at) => each === (at === 0 ? low : 0));
}

function isBelow(one: Int32Array, other: Int32Array, used: number): boolean {
  let at = used - 1;
  while (at > 0 && one[at] === other[at]) at--;
  return limb(one, at) < limb(other, at);
}

/**
 * @param limbs the lowest is not 0
 * @returns how many bits it was shifted to the right
 */
function shiftToOdd(limbs: Int32Array, used: number): number {
  const low = limb(limbs, 0);
  const twos = 31 - Math.clz32(low & -low);
  if (twos === 0) return 0;
  for (let at = 0; at < used; at++) {
    limbs[at] = (limb(limbs, at) >> twos) | ((limb(limbs, at + 1) << (LIMB - twos)) & MASK);
  }
  return twos;
}

/** @param less not above `limbs` */
function subtract(limbs: Int32Array, less: Int32Array, used: number): void {
  let carried = 0;
  for (let at = 0; at < used; at++) {
    const difference = limb(limbs, at) - limb(less, at) + carried;
    limbs[at] = difference & MASK;
    carried = difference >> LIMB;
  }
}
