/**
 * The Jacobi symbol (a/n), by the binary form of the Euclidean algorithm. For a prime n it is the Legendre symbol, at an
 * eighth of the cost of Euler's criterion.
 * @param a from 0
 * @param n odd, above 0
 * @returns 1 for a square modulo a prime n, -1 for a non-square, 0 when a and n have a common factor
 */
export function jacobiSymbol(a: bigint, n: bigint): -1 | 0 | 1 {
  let [top, bottom] = [a % n, n];
  let isNegative = false;
  while (top !== 0n) {
    const low = Number(BigInt.asUintN(32, top));
    if (low === 0) {
      // (2/n) to an even power is 1.
      top >>= 32n;
      continue;
    }
    const twos = 31 - Math.clz32(low & -low);
    top >>= BigInt(twos);
    const eighth = Number(BigInt.asUintN(3, bottom));
    if (twos % 2 === 1 && (eighth === 3 || eighth === 5)) isNegative = !isNegative;
    if (eighth % 4 === 3 && BigInt.asUintN(2, top) === 3n) isNegative = !isNegative;
    [top, bottom] = [bottom % top, top];
  }
  if (bottom !== 1n) return 0;
  return isNegative ? -1 : 1;
}
