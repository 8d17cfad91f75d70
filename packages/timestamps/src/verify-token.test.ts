import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { formatTimestampRequest } from './request.js';
import { parseTimestampResponse } from './response.js';
import { NO_ROOTS, parseTsaRoots, type TsaRoots } from './roots.js';
import { createOpensslTsa, type OpensslTsa } from './testing/index.js';
import { verifyTimestampToken } from './verify-token.js';

const digestOf = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());
const isImprintOf =
  (text: string) =>
  (imprint: Uint8Array): boolean =>
    Buffer.compare(imprint, digestOf(text)) === 0;

describe('a token of OpenSSL', () => {
  const nonce = new Uint8Array(randomBytes(16));
  let tsa: OpensslTsa;
  let roots: TsaRoots;
  let token: Uint8Array;

  beforeAll(async () => {
    tsa = createOpensslTsa();
    roots = parseTsaRoots(tsa.rootPem);
    token = parseTimestampResponse(await tsa.reply(formatTimestampRequest({ imprint: digestOf('x'), nonce })));
  });
  afterAll(() => {
    tsa.remove();
  });

  it('is verified here and by OpenSSL', async () => {
    const outcome = await verifyTimestampToken(token, { roots, isImprint: isImprintOf('x'), nonce });
    expect(outcome).toMatchObject({ status: 'verified', authority: 'Test TSA', accuracy: 1_500_100_000 });
    await expect(tsa.accepts(token, digestOf('x'))).resolves.toContain('Verification: OK');
  });

  it('is untrusted without pinned roots', async () => {
    const outcome = await verifyTimestampToken(token, { roots: NO_ROOTS, isImprint: isImprintOf('x') });
    expect(outcome.status).toBe('untrusted');
  });

  it('is invalid for another imprint or another nonce', async () => {
    const checks = { roots, isImprint: isImprintOf('x') };
    await expect(verifyTimestampToken(token, { roots, isImprint: isImprintOf('y') })).resolves.toMatchObject({
      detail: 'the imprint does not match',
    });
    await expect(verifyTimestampToken(token, { ...checks, nonce: Uint8Array.of(1) })).resolves.toMatchObject({
      detail: 'the nonce is not the one that was sent',
    });
  });

  it('never verifies with a SET in place of a SEQUENCE', async () => {
    const checks = { roots, isImprint: isImprintOf('x') };
    let swapped = 0;
    for (let at = 0; at < token.length; at += 1) {
      const byte = token[at];
      if (byte !== 0x30 && byte !== 0x31) continue;
      const changed = token.map((same, index) => (index === at ? byte ^ 1 : same));
      // Another byte of a certificate that the authority did not sign leaves it untrusted.
      expect({ at, ...(await verifyTimestampToken(changed, checks)) }).not.toMatchObject({ at, status: 'verified' });
      swapped += 1;
    }
    expect(swapped).toBeGreaterThan(40);
  });

  it('never verifies with another time after a bit flip', async () => {
    const checks = { roots, isImprint: isImprintOf('x'), nonce };
    const sound = await verifyTimestampToken(token, checks);
    let refused = 0;
    for (let at = 0; at < token.length; at += 7) {
      const changed = token.map((byte, index) => (index === at ? byte ^ 1 : byte));
      const outcome = await verifyTimestampToken(changed, checks);
      // CMS does not sign its version numbers and digest list; they do not affect the time.
      if (outcome.status === 'verified') expect(outcome).toEqual(sound);
      else refused += 1;
    }
    expect(refused).toBeGreaterThan(token.length / 7 / 2);
    for (const bytes of [token.subarray(0, -1), Uint8Array.of(...token, 0), new Uint8Array(65 * 1024)]) {
      expect((await verifyTimestampToken(bytes, checks)).status).toBe('invalid');
    }
  });
});
