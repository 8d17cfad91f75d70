import { describe, expect, it } from '@jest/globals';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.js';
import { newTotpSecret, sixDigits, stepOfCode, totpAddress } from './totp.js';

// RFC 6238, appendix B: the secret "12345678901234567890", the last six of the eight digits.
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number): Date => new Date(seconds * 1000);

describe('codes of authenticator apps', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %d', (time, code) => {
    expect(stepOfCode(SECRET, code, at(time))).toBe(Math.floor(time / 30));
  });

  it('hold one step before and after', () => {
    const step = Math.floor(1_111_111_109 / 30);
    for (const [drift, found] of [
      [-60, null],
      [-30, step],
      [30, step],
      [60, null],
    ] as const) {
      expect(stepOfCode(SECRET, '081804', at(1_111_111_109 + drift))).toBe(found);
    }
  });

  it('are six digits, with or without a space', () => {
    expect(['287082', ' 287 082 '].map(sixDigits)).toEqual(['287082', '287082']);
    expect(['28708', '2870822', '28708x', '٢٨٧٠٨٢', ''].map(sixDigits)).toEqual([null, null, null, null, null]);
  });

  it('have secrets of 160 random bits in an otpauth address', () => {
    const secret = newTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(secret);
    const address = new URL(totpAddress(secret, 'ada+x@example.org'));
    expect(decodeURIComponent(address.pathname)).toContain('Execution Certification:ada+x@example.org');
    expect(address.searchParams.get('secret')).toBe(secret);
  });
});

describe('recovery codes', () => {
  it('are ten, of 80 bits each', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  });

  it('are read in any spelling, for one user', () => {
    const hash = recoveryCodeHash('ada', 'abcd-efgh-ijkl-2345');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(recoveryCodeHash('ada', ' ABCDEFGH ijkl2345')).toBe(hash);
    expect(recoveryCodeHash('bob', 'abcd-efgh-ijkl-2345')).not.toBe(hash);
    expect(
      ['123456', 'abcd-efgh-ijkl-234', 'abcd-efgh-ijkl-0189'].map((text) => recoveryCodeHash('ada', text)),
    ).toEqual([null, null, null]);
  });
});
