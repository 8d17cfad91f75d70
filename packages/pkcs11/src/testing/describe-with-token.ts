import { describe, expect, it } from '@jest/globals';

/** A suite that needs a token; without one, a single test reports that it was not run and why. */
export function describeWithToken(name: string, suite: () => void): void {
  const reason = process.env['CER_TEST_NO_PKCS11'] ?? '';
  if (reason === '') {
    describe(name, suite);
    return;
  }
  describe(name, () => {
    it(`is not run: no token (${reason})`, () => {
      process.stderr.write(`not run: ${name}: no token (${reason})\n`);
      expect(reason).not.toBe('');
    });
  });
}
