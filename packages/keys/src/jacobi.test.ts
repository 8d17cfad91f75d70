import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { P } from '../test/curve.js';
import { jacobiSymbol } from './jacobi.js';

function euler(a: bigint, p: bigint): number {
  let result = 1n;
  for (let power = a % p, rest = (p - 1n) / 2n; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * power) % p;
    power = (power * power) % p;
  }
  return result === p - 1n ? -1 : Number(result);
}

describe('the Jacobi symbol', () => {
  it("agrees with Euler's criterion for small primes", () => {
    for (const p of [3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 101n]) {
      for (let a = 0n; a < 2n * p; a++) expect([p, a, jacobiSymbol(a, p)]).toEqual([p, a, euler(a, p)]);
    }
  });

  it("agrees with Euler's criterion modulo the field's prime", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, P - 1n), fc.integer({ min: 0, max: 255 }), (a, shift) => {
        for (const value of [a, (a << BigInt(shift)) % P, 1n << BigInt(shift), P - 1n - (a >> 200n)]) {
          expect(jacobiSymbol(value, P)).toBe(euler(value, P));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("is the product over a composite's prime factors", () => {
    for (let a = 0n; a < 105n; a++) {
      expect(jacobiSymbol(a, 105n)).toBe(euler(a, 3n) * euler(a, 5n) * euler(a, 7n) + 0);
    }
  });
});
