import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { jcsV1, parseJson } from '@cer/canonical-json';
import { decodeBase64Url, verifySignature } from '@cer/keys';
import { openRootFile } from '@cer/keys/file-signer';
import { cer } from '../testing/console.js';
import { Folder } from '../testing/files.js';

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

const promise = {
  origin: 'node.example/log',
  vkey: 'node.example/log+00000000+AQ',
  role: 'receipts',
  since: '2026-01-01T00:00:00.000Z',
  mmdSeconds: 3600,
  closed: null,
};
const statement = {
  type: 'svc.log-statement.v1',
  version: 1,
  issuedAt: '2026-01-02T00:00:00.000Z',
  nodeId: 'node-test',
  logs: [promise],
};

describe('cer keys root sign-log', () => {
  it('shows the promise and signs its canonical form', async () => {
    const root = folder.file('root.json');
    expect((await cer(['keys', 'root', 'init', '--out', root])).exitCode).toBe(0);
    const source = folder.write('svc-log.json', { statement, signatures: [] });
    const out = folder.file('signed.json');
    const said = await cer(['keys', 'root', 'sign-log', '--root', root, '--statement', source, '--out', out]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout).toContain('every receipt since 2026-01-01T00:00:00.000Z within 3600 s');
    const signed = parseJson(readFileSync(out)) as unknown as {
      readonly statement: object;
      readonly signatures: readonly [{ readonly kid: string; readonly signature: string }];
    };
    const signer = openRootFile(root);
    const [{ kid, signature }] = signed.signatures;
    expect([signed.statement, kid]).toEqual([statement, signer.kid]);
    const bytes = new TextEncoder().encode(jcsV1.canonicalize(statement));
    expect(await verifySignature(signer.publicKey, bytes, decodeBase64Url(signature))).toBe(true);
  });

  it('signs nothing but a log statement', async () => {
    const root = folder.file('other.json');
    await cer(['keys', 'root', 'init', '--out', root]);
    const source = folder.write('keys.json', { ...statement, type: 'svc.key-set-statement.v1' });
    const out = folder.file('never.json');
    const said = await cer(['keys', 'root', 'sign-log', '--root', root, '--statement', source, '--out', out]);
    expect(said).toMatchObject({ exitCode: 3, stderr: 'cer: --statement: type must be svc.log-statement.v1\n' });
  });
});
