import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { CerError } from '../errors.js';
import { sha256 } from '../hash.js';
import { certified, certifiedPicture, greyPng, TEST_TIME, testKeys } from '../testing/index.js';
import { evaluateCer, type Evaluation } from '../verify.js';
import { embedCertificate, isPng, judgePicture, readPicture, type JudgedPicture } from '../picture.js';
import { pngChunk } from './png-chunks.js';

const PNG = greyPng(120);

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function evaluate(certificate: unknown): Promise<Evaluation> {
  return evaluateCer(JSON.parse(JSON.stringify(certificate)), { keySet: testKeys(), verifiedAt: TEST_TIME });
}

/** Takes a file apart, and judges it by the certificate in it. */
async function judge(file: Uint8Array): Promise<JudgedPicture> {
  const { png, certificate } = readPicture(file);
  return judgePicture(await evaluate(JSON.parse(new TextDecoder().decode(certificate ?? text('null')))), png);
}

function faultOf(file: Uint8Array): string {
  try {
    readPicture(file);
  } catch (error) {
    if (error instanceof CerError) return error.message;
    throw error;
  }
  return 'none';
}

describe('a picture with its certificate', () => {
  it('is the picture and one chunk before IEND', async () => {
    const certificate = await certifiedPicture(PNG);
    const file = embedCertificate(PNG, certificate);
    expect(file).toEqual(greyPng(120, pngChunk('iTXt', text(`cer\0\0\0\0\0${JSON.stringify(certificate)}`))));
    const { png, certificate: carried } = readPicture(file);
    expect(png).toEqual(PNG);
    expect(new TextDecoder().decode(carried ?? undefined)).toBe(JSON.stringify(certificate));
    expect(inflateSync(PNG.subarray(41, 54))).toEqual(Buffer.from([0, 120]));
  });

  it('is judged by the hash without the chunk', async () => {
    const { evaluation, picture } = await judge(embedCertificate(PNG, await certifiedPicture(PNG)));
    expect(evaluation).toMatchObject({ status: 'VERIFIED', code: 'OK', findings: [] });
    expect(picture).toEqual({ imageHash: sha256(PNG), certifiedHash: sha256(PNG), isCertified: true });
  });

  it('fails with one other pixel', async () => {
    const { evaluation } = await judge(embedCertificate(greyPng(121), await certifiedPicture(PNG)));
    expect(evaluation).toMatchObject({
      status: 'FAILED',
      code: 'OUTPUT_HASH_MISMATCH',
      receipt: { status: 'PASS' },
      findings: [{ member: 'snapshot.imageHash', expected: sha256(PNG), computed: sha256(greyPng(121)) }],
    });
  });

  it('fails with a certificate that names no picture', async () => {
    const { evaluation, picture } = await judge(embedCertificate(PNG, await certified()));
    expect(evaluation).toMatchObject({ code: 'OUTPUT_HASH_MISMATCH', status: 'FAILED' });
    expect(picture).toMatchObject({ certifiedHash: null, isCertified: false });
  });

  it('reports a content fault before a picture fault', async () => {
    const certificate = await certifiedPicture(PNG);
    const changed = { ...certificate, createdAt: '2026-05-05T00:00:00.000Z' };
    const { evaluation } = await judge(embedCertificate(greyPng(1), changed));
    expect(evaluation.code).toBe('CERTIFICATE_HASH_MISMATCH');
    expect(evaluation.findings.map(({ code }) => code)).toContain('OUTPUT_HASH_MISMATCH');
  });

  it('reports another picture before a missing key', async () => {
    const signed = await evaluateCer(await certifiedPicture(PNG), { verifiedAt: TEST_TIME });
    expect(signed.code).toBe('VERIFICATION_MATERIAL_UNAVAILABLE');
    expect(judgePicture(signed, PNG).evaluation.code).toBe('VERIFICATION_MATERIAL_UNAVAILABLE');
    expect(judgePicture(signed, greyPng(1)).evaluation.code).toBe('OUTPUT_HASH_MISMATCH');
  });
});

describe('reading a PNG', () => {
  const carrier = (content: string): Uint8Array => pngChunk('iTXt', text(content));

  it('finds no certificate in other texts', () => {
    const others = [carrier('cert\0\0\0\0\0{}'), carrier('Comment\0\0\0\0\0cer'), pngChunk('tEXt', text('cer\0{}'))];
    expect(readPicture(greyPng(0, ...others)).certificate).toBeNull();
    expect([isPng(PNG), isPng(text('{}')), isPng(new Uint8Array(0))]).toEqual([true, false, false]);
  });

  it.each([
    ['two certificates', greyPng(0, carrier('cer\0\0\0\0\0{}'), carrier('cer\0\0\0\0\0{}')), 'several certificates'],
    ['a compressed one', greyPng(0, carrier('cer\0\x01\0\0\0x')), 'compressed'],
    ['one with a language', greyPng(0, carrier('cer\0\0\0en\0\0{}')), 'a language'],
    ['one cut within its head', greyPng(0, carrier('cer\0\0')), 'compressed'],
    ['one of 16 MiB and a byte', greyPng(0, carrier(`cer\0\0\0\0\0${' '.repeat(2 ** 24 + 1)}`)), '16777216 bytes'],
    ['a file cut in a chunk', PNG.subarray(0, 48), 'longer than the file'],
    ['a file cut between chunks', PNG.subarray(0, 33), 'one IEND chunk'],
    ['a file cut in a head', PNG.subarray(0, 36), 'ends within a chunk'],
    [
      'bytes after IEND',
      Uint8Array.from([...PNG, ...pngChunk('iTXt', text('cer\0\0\0\0\0{}'))]),
      'IEND chunk, the last',
    ],
    ['nothing but its signature', PNG.subarray(0, 8), 'one IHDR chunk'],
    ['no PNG', text('{}'), 'is not a PNG'],
  ])('refuses %s', (_name, file, fault) => {
    expect(faultOf(file)).toContain(fault);
  });

  it('refuses a chunk with a wrong CRC', () => {
    const file = greyPng(0, carrier('cer\0\0\0\0\0{}'));
    file[file.length - 13] = (file[file.length - 13] ?? 0) ^ 1;
    expect(faultOf(file)).toContain('wrong CRC');
  });

  it('refuses a length of four gigabytes', () => {
    const file = PNG.slice();
    file.set([0xff, 0xff, 0xff, 0xff], 33);
    expect(faultOf(file)).toContain('longer than the file');
  });

  it('refuses more chunks than a picture has', () => {
    const many = Array.from({ length: 65_536 }, () => pngChunk('tEXt', new Uint8Array(0)));
    expect(faultOf(greyPng(0, ...many))).toContain('65536 chunks');
  });

  it('never embeds a second certificate', () => {
    const file = embedCertificate(PNG, {});
    expect(() => embedCertificate(file, {})).toThrow('carries a certificate already');
  });
});
