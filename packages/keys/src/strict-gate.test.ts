import { describe, expect, it } from '@jest/globals';
import { encodingOf, L, littleEndian, P } from '../test/curve.js';
import { passesStrictGate } from './strict-gate.js';
import { testSigner } from './testing/index.js';

const key = testSigner(1).publicKey.raw;
const r = testSigner(2).publicKey.raw;
const passes = (s: bigint): boolean => passesStrictGate(key, Uint8Array.from([...r, ...littleEndian(s)]));

describe('passesStrictGate', () => {
  it('accepts S only below the group order', () => {
    for (const s of [0n, 1n, L - 1n, L - (1n << 128n), 1n << 251n, (1n << 252n) - 1n]) expect(passes(s)).toBe(true);
    for (const s of [L, L + 1n, L + (1n << 128n), 2n * L, 1n << 253n, (1n << 256n) - 1n]) expect(passes(s)).toBe(false);
  });

  it('accepts only 32 and 64 bytes', () => {
    const signature = Uint8Array.from([...r, ...littleEndian(1n)]);
    expect(passesStrictGate(key, signature)).toBe(true);
    expect(passesStrictGate(key.subarray(1), signature)).toBe(false);
    expect(passesStrictGate(Uint8Array.from([...key, 0]), signature)).toBe(false);
    expect(passesStrictGate(key, signature.subarray(1))).toBe(false);
    expect(passesStrictGate(key, Uint8Array.from([...signature, 0]))).toBe(false);
  });

  it('checks the key and R alike', () => {
    for (const bad of [encodingOf(1n, 0), encodingOf(0n, 1), encodingOf(P + 3n, 0)]) {
      expect(passesStrictGate(bad, Uint8Array.from([...r, ...littleEndian(1n)]))).toBe(false);
      expect(passesStrictGate(key, Uint8Array.from([...bad, ...littleEndian(1n)]))).toBe(false);
    }
  });
});
