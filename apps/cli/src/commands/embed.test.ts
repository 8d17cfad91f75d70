import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '@cer/cer-core';
import { embedCertificate } from '@cer/cer-core/picture';
import { certifiedPicture, greyPng, pngChunk, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { cer } from '../testing/console.js';
import { Folder, readSample } from '../testing/files.js';

const PNG = greyPng(120);
const folder = new Folder();
let keys: string;
let certificate: string;
let picture: string;

beforeAll(async () => {
  keys = folder.write(
    'keys.json',
    JSON.stringify(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] })),
  );
  certificate = folder.write('certificate.json', await certifiedPicture(PNG));
  picture = folder.write('picture.png', PNG);
});
afterAll(() => {
  folder.remove();
});

describe('cer embed', () => {
  it('writes a picture that carries its certificate', async () => {
    const out = folder.file('certified.png');
    expect(await cer(['embed', picture, '--certificate', certificate, '--out', out])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
    expect(new Uint8Array(readFileSync(out))).toEqual(embedCertificate(PNG, await certifiedPicture(PNG)));
    const said = await cer(['verify', out, '--keys', keys]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout).toContain('this picture, to the byte');
    const again = await cer(['embed', out, '--certificate', certificate, '--out', folder.file('twice.png')]);
    expect(again.exitCode).toBe(1);
  });

  it('replaces the certificate that the picture carries', async () => {
    const bundle = await certifiedPicture(PNG);
    const carrier = folder.write('carrier.png', embedCertificate(PNG, bundle));
    const out = folder.file('logged.png');
    const logged = { ...bundle, declaration: { added: 'later' } };
    const argv = ['embed', carrier, '--certificate', folder.write('logged.json', logged), '--out', out];
    expect(await cer(argv)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(new Uint8Array(readFileSync(out))).toEqual(embedCertificate(PNG, logged));
    const same = await cer(['embed', carrier, '--certificate', certificate, '--out', folder.file('same.png')]);
    expect([same.exitCode, JSON.parse(same.stderr)]).toMatchObject([1, { reason: 'UNCHANGED' }]);
  });

  it('names the fault of a picture that it cannot read', async () => {
    const cut = folder.write('half.png', PNG.subarray(0, 48));
    const said = await cer(['embed', cut, '--certificate', certificate, '--out', folder.file('none.png')]);
    expect([said.exitCode, JSON.parse(said.stderr)]).toMatchObject([1, { reason: 'BUNDLE_CORRUPTED' }]);
  });

  it('refuses another picture than the certified one', async () => {
    const other = folder.write('other.png', greyPng(121));
    const said = await cer(['embed', other, '--certificate', certificate, '--out', folder.file('no.png')]);
    expect([said.exitCode, JSON.parse(said.stderr)]).toMatchObject([1, { reason: 'OUTPUT_HASH_MISMATCH' }]);
  });
});

describe('cer verify with a picture', () => {
  it('reports the picture beside the certificate', async () => {
    const path = folder.write('good.png', embedCertificate(PNG, await certifiedPicture(PNG)));
    const { exitCode, stdout } = await cer(['verify', path, '--keys', keys, '--json']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      { status: 'VERIFIED', picture: { imageHash: sha256(PNG), certifiedHash: sha256(PNG), isCertified: true } },
    ]);
  });

  it('fails for a picture with one changed pixel', async () => {
    const path = folder.write('changed.png', embedCertificate(greyPng(121), await certifiedPicture(PNG)));
    const said = await cer(['verify', path, '--keys', keys]);
    expect(said.stdout.split('\n')[0]).toBe('FAILED (OUTPUT_HASH_MISMATCH)');
    expect(said.stdout).toContain(sha256(greyPng(121)));
    expect([said.exitCode, JSON.parse(said.stderr)]).toMatchObject([
      1,
      { reason: 'OUTPUT_HASH_MISMATCH', checks: { nodeSignature: 'PASS' }, picture: { isCertified: false } },
    ]);
  });

  it('fails for the certificate of a model call', async () => {
    const path = folder.write('text.png', embedCertificate(PNG, readSample('certified.json')));
    const { exitCode, stdout } = await cer(['verify', path]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('the certificate names no picture');
  });

  it('names the fault of a hostile or uncertified picture', async () => {
    const cut = folder.write('cut.png', PNG.subarray(0, 48));
    const said = await cer(['verify', cut]);
    expect([said.exitCode, JSON.parse(said.stderr)]).toMatchObject([1, { reason: 'BUNDLE_CORRUPTED' }]);
    expect(said.stdout).toContain('has a chunk that is longer than the file');
    const bare = await cer(['verify', picture]);
    expect([bare.exitCode, bare.stderr]).toEqual([3, expect.stringContaining('is a PNG that carries no certificate')]);
  });

  it('unpacks no certificate in a picture', async () => {
    const packed = gzipSync(JSON.stringify(await certifiedPicture(PNG)));
    const chunk = pngChunk('iTXt', Buffer.concat([Buffer.from('cer\0\0\0\0\0'), packed]));
    const said = await cer(['verify', folder.write('packed.png', greyPng(120, chunk)), '--keys', keys, '--json']);
    expect([said.exitCode, JSON.parse(said.stderr)]).toMatchObject([
      1,
      { status: 'FAILED', reasonCodes: ['SCHEMA_ERROR', 'BUNDLE_CORRUPTED'] },
    ]);
  });

  it('checks pictures in a batch', async () => {
    const good = folder.write('a.png', embedCertificate(PNG, await certifiedPicture(PNG)));
    const bad = folder.write('b.png', embedCertificate(greyPng(3), await certifiedPicture(PNG)));
    const { exitCode, stdout } = await cer(['verify', '--batch', good, bad, '--keys', keys, '--json']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/"isCertified": ?true[^]*"isCertified": ?false/);
  });
});
