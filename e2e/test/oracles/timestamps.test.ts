import { createHash, webcrypto } from 'node:crypto';
import { formatTimestampRequest, parseTimestampResponse, parseTsaRoots, verifyTimestampToken } from '@cer/timestamps';
import { createOpensslTsa, type OpensslTsa } from '@cer/timestamps/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Certificate, ContentInfo, CryptoEngine, setEngine, SignedData } from 'pkijs';
import { mutated, mutations, oracleRuns, OutcomeCounts } from './oracle.js';

// RFC 3161 tokens: what is verified here, pkijs must verify too, with the same content and a chain to the same root.

const DATA = Buffer.from('a receipt');
const IMPRINT = new Uint8Array(createHash('sha256').update(DATA).digest());
const AUTHORITIES = 2;

const { seed, numRuns } = oracleRuns(200);
const counts = new OutcomeCounts();
const tsas: OpensslTsa[] = [];
/** Of each authority one token. */
const tokens: Uint8Array[] = [];
beforeAll(async () => {
  setEngine('node', new CryptoEngine({ name: 'node', crypto: webcrypto as unknown as Crypto }));
  for (const key of ['ec', 'rsa'] as const) {
    const tsa = createOpensslTsa({ key });
    tsas.push(tsa);
    tokens.push(
      parseTimestampResponse(await tsa.reply(formatTimestampRequest({ imprint: IMPRINT, nonce: Uint8Array.of(7) }))),
    );
  }
});
afterAll(() => {
  for (const tsa of tsas) tsa.remove();
  counts.report('RFC 3161: pkijs', seed);
});

async function ours(
  token: Uint8Array,
  rootPem: string,
): Promise<{ status: string; genTime?: string; detail?: string }> {
  return verifyTimestampToken(token, {
    roots: parseTsaRoots(rootPem),
    isImprint: (imprint) => Buffer.compare(imprint, IMPRINT) === 0,
  });
}

/** Whether pkijs verifies the signature over the data and a chain to the root at that time. */
async function theirs(token: Uint8Array, rootPem: string, at: Date): Promise<boolean> {
  try {
    const signed = new SignedData({ schema: ContentInfo.fromBER(Uint8Array.from(token)).content });
    return await signed.verify({
      signer: 0,
      data: Uint8Array.from(DATA).buffer,
      checkChain: true,
      checkDate: at,
      trustedCerts: [Certificate.fromBER(Buffer.from(rootPem.replace(/-----[^-]+-----/g, ''), 'base64'))],
    });
  } catch {
    return false;
  }
}

async function compare(at: number, token: Buffer): Promise<void> {
  const rootPem = tsas[at]?.rootPem ?? '';
  const { status, genTime } = await ours(token, rootPem);
  const other = await theirs(token, rootPem, genTime === undefined ? new Date() : new Date(genTime));
  if (status === 'verified') {
    expect(other ? 'verified' : token.toString('base64')).toBe('verified');
    counts.add('verified by both');
  } else counts.add(other ? 'refused by a stricter rule' : 'refused by both');
}

describe('a token', () => {
  it('leads to its root alone, as pkijs finds', async () => {
    for (const [at, token] of tokens.entries()) {
      for (const [rootAt, { rootPem }] of tsas.entries()) {
        expect(await ours(token, rootPem)).toMatchObject({ status: at === rootAt ? 'verified' : 'untrusted' });
        expect(await theirs(token, rootPem, new Date())).toBe(at === rootAt);
      }
    }
  });

  it('is not verified where pkijs refuses it', async () => {
    const property = fc.asyncProperty(fc.nat(AUTHORITIES - 1), mutations, async (at, changes) => {
      await compare(at, mutated(tokens[at] ?? Buffer.alloc(0), changes));
    });
    await fc.assert(property, { numRuns, seed });
  });

  it('is not verified with a bit that pkijs refuses', async () => {
    const token = tokens[0] ?? Buffer.alloc(0);
    // In the long form each bit; here some of them.
    const stride = Math.max(1, Math.floor((token.length * 8) / numRuns));
    for (let bit = seed % stride; bit < token.length * 8; bit += stride) {
      const changed = Buffer.from(token);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await compare(0, changed);
    }
  });
});
