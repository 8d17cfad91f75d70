import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { formatTimestampRequest } from './request.js';
import { MAX_RESPONSE_BYTES, parseTimestampResponse } from './response.js';
import { parseTsaRoots, type TsaRoots } from './roots.js';
import { createOpensslTsa, type OpensslTsa, type TsaFlaw } from './testing/index.js';
import { parseTimestampToken } from './token.js';
import { verifyTimestampToken, type TokenOutcome } from './verify-token.js';

const IMPRINT = new Uint8Array(createHash('sha256').update('a receipt').digest());
const NONCE = Uint8Array.of(1, 2, 3);

let tsa: OpensslTsa;
let roots: TsaRoots;
let token: Uint8Array;

beforeAll(async () => {
  tsa = createOpensslTsa();
  roots = parseTsaRoots(tsa.rootPem);
  token = await newToken();
});
afterAll(() => {
  tsa.remove();
});

const newToken = async (): Promise<Uint8Array> =>
  parseTimestampResponse(await tsa.reply(formatTimestampRequest({ imprint: IMPRINT, nonce: NONCE })));
const newContent = async (): Promise<Uint8Array> => parseTimestampToken(await newToken()).content;
const verify = (bytes: Uint8Array, pinned = roots): Promise<TokenOutcome> =>
  verifyTimestampToken(bytes, {
    roots: pinned,
    nonce: NONCE,
    isImprint: (imprint) => Buffer.compare(imprint, IMPRINT) === 0,
  });

const PURPOSE = 'the extended key usage must be critical and timeStamping alone';

describe('a token with one flaw', () => {
  it.each<[TsaFlaw, string]>([
    ['expired', 'the certificate of the authority was not valid at the time of the timestamp'],
    ['two purposes', PURPOSE],
    ['uncritical purpose', PURPOSE],
    ['no purpose', PURPOSE],
    // For SHA-1 OpenSSL binds the signature to its certificate by the older ESSCertID, which also uses SHA-1.
    ['SHA-1', 'signer.signingCertificateV2: must occur once, with one value of its type'],
  ])('is invalid: %s', async (flaw, detail) => {
    // The same token without the flaw is valid.
    expect(await verify(await tsa.sign(newContent, 'none'))).toMatchObject({ status: 'verified' });
    expect(await verify(await tsa.sign(newContent, flaw))).toEqual({ status: 'invalid', detail });
  });

  it('is invalid with another hash algorithm', async () => {
    const file = join(tsa.folder, 'sha512.tsq');
    const digest = createHash('sha512').update('a receipt').digest('hex');
    execFileSync('openssl', ['ts', '-query', '-digest', digest, '-sha512', '-cert', '-out', file], { stdio: 'pipe' });
    const other = parseTimestampResponse(await tsa.reply(new Uint8Array(readFileSync(file))));
    const outcome = await verifyTimestampToken(other, { roots, isImprint: () => true });
    expect(outcome).toEqual({ status: 'invalid', detail: 'the imprint must be SHA-256' });
  });

  it('is untrusted under an impostor of a pinned root', async () => {
    const impostor = createOpensslTsa();
    expect(await verify(token, parseTsaRoots(impostor.rootPem))).toMatchObject({ status: 'untrusted' });
    impostor.remove();
  });
});

describe('an authority with RSA keys', () => {
  it('issues tokens that verify', async () => {
    const rsa = createOpensslTsa({ key: 'rsa' });
    const reply = await rsa.reply(formatTimestampRequest({ imprint: IMPRINT, nonce: NONCE }));
    const outcome = await verify(parseTimestampResponse(reply), parseTsaRoots(rsa.rootPem));
    expect(outcome).toMatchObject({ status: 'verified' });
    rsa.remove();
  });
});

describe('a response', () => {
  it('of 200 MB is rejected unparsed', () => {
    expect(() => parseTimestampResponse(new Uint8Array(200 * 1024 * 1024))).toThrow(
      expect.objectContaining({ code: 'TIMESTAMP_TOO_LARGE' }),
    );
    expect(() => parseTimestampResponse(new Uint8Array(MAX_RESPONSE_BYTES + 1))).toThrow('at most');
  });

  it('may be a Buffer with shared memory', async () => {
    const reply = await tsa.reply(formatTimestampRequest({ imprint: IMPRINT, nonce: NONCE }));
    const pooled = Buffer.concat([Buffer.from('other things'), reply]).subarray('other things'.length);
    expect(await verify(parseTimestampResponse(pooled))).toMatchObject({ status: 'verified' });
  });

  it('distinguishes a refusal from a malformed answer', async () => {
    const query = formatTimestampRequest({ imprint: IMPRINT, nonce: NONCE });
    const refusal = await tsa.reply(query.subarray(0, -1));
    expect(() => parseTimestampResponse(refusal)).toThrow(expect.objectContaining({ code: 'TIMESTAMP_REFUSED' }));
    expect(() => parseTimestampResponse(new TextEncoder().encode('<html>'))).toThrow(
      expect.objectContaining({ code: 'TIMESTAMP_MALFORMED' }),
    );
  });
});
