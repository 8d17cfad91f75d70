import { describe, expect, it } from '@jest/globals';

/** A suite that needs Chromium; where no browser is available, one line says that it was not run and why. */
export function describeWithBrowser(name: string, suite: () => void): void {
  const reason = process.env['CER_TEST_NO_BROWSER'] ?? '';
  if (reason === '') {
    describe(name, suite);
    return;
  }
  describe(name, () => {
    it(`is not run: no browser (${reason})`, () => {
      process.stderr.write(`not run: ${name}: no browser (${reason})\n`);
      expect(reason).not.toBe('');
    });
  });
}
