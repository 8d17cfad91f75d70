import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { attestProject, timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { buildProject } from '@cer/cer-core/seal';
import { certified, TEST_ATTESTOR, TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '@cer/cer-core/testing';
import { encodeHex } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { formatTimestampRequest, parseTimestampResponse } from '@cer/timestamps';
import { buildMerkleTree } from '@cer/tlog/merkle';
import { createOpensslTsa, type OpensslTsa } from '@cer/timestamps/testing';
import { packageEntries, packageRecord } from '../testing/audit-package.js';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';
import { rawZip } from '../testing/raw-zip.js';

const folder = new Folder();
const LATER = '2099-01-01T00:00:00Z';
const EARLIER = '2026-01-03T00:00:00Z';

let tsa: OpensslTsa;
let other: OpensslTsa;
let certificate: JsonObject;

beforeAll(async () => {
  tsa = createOpensslTsa();
  other = createOpensslTsa({ name: 'Other TSA' });
  certificate = await certified();
});
afterAll(() => {
  tsa.remove();
  other.remove();
  folder.remove();
});

function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  if (!isJsonObject(value)) throw new TypeError(`there is no object ${name}`);
  return value;
}

function textMember(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new TypeError(`there is no text ${name}`);
  return value;
}

/** The imprint that a node sends to an authority. */
function receiptDigest(bundle: JsonObject): Uint8Array {
  const attestation = objectMember(objectMember(bundle, 'meta'), 'attestation');
  return timestampDigest(timestampedText(objectMember(attestation, 'receipt'), textMember(attestation, 'signature')));
}

async function tokenOver(imprint: Uint8Array, authority: OpensslTsa = tsa): Promise<string> {
  const reply = await authority.reply(formatTimestampRequest({ imprint, nonce: Uint8Array.of(7) }));
  return Buffer.from(parseTimestampResponse(reply)).toString('base64');
}

function withToken(bundle: JsonObject, token: string, members: JsonObject = {}): JsonObject {
  const entry = { type: 'rfc3161', status: 'verified', covers: 'receipt', token, ...members };
  return { ...bundle, meta: { ...objectMember(bundle, 'meta'), timestamps: [entry] } };
}

/** The node's keys after the one that signed was revoked as compromised. */
function revokedKeys(compromisedSince: string): string {
  const life = { status: 'revoked', revokedAt: LATER, compromisedSince, revocationReason: 'keyCompromise' } as const;
  const keySet = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER, ...life }] });
  return folder.write(`keys-${compromisedSince.slice(0, 4)}.json`, JSON.stringify(keySet));
}

const rootsOf = (authority: OpensslTsa): readonly string[] => ['--tsa-roots', authority.rootFile];

function verify(bundle: JsonObject, flags: readonly string[] = rootsOf(tsa), since = LATER): Promise<Said> {
  const path = folder.write('certificate.json', bundle);
  return cer(['verify', path, '--keys', revokedKeys(since), ...flags]);
}

const failureOf = ({ stderr }: Said): unknown => JSON.parse(stderr);

describe('a certificate whose key was revoked as compromised', () => {
  it('is verified by an earlier token that OpenSSL accepts', async () => {
    const token = await tokenOver(receiptDigest(certificate));
    const accepted = await tsa.accepts(Buffer.from(token, 'base64'), receiptDigest(certificate));
    expect(accepted).toContain('Verification: OK');
    const said = await verify(withToken(certificate, token));
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout.split('\n')[0]).toBe('VERIFIED');
    const text = said.stdout.replace(/\s+/g, ' ');
    expect(text).toContain(
      'The key was revoked, and an independent timestamp shows that the signature was made before',
    );
    expect(text).toMatch(/Witnessed \d{4}-\d\d-\d\dT\S+Z \(by Test TSA: it saw the signature then at the latest\)/);
    expect(text).toContain(`Key not to be trusted since ${LATER} (keyCompromise)`);
    const { stdout } = await verify(withToken(certificate, token), [...rootsOf(tsa), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'VERIFIED',
      timestamp: { type: 'rfc3161', status: 'verified', covers: 'receipt', provider: 'Test TSA' },
      keyRescue: { before: 'compromisedSince', limit: LATER, revocationReason: 'keyCompromise' },
    });
  });

  it('is verified by its place in a batch', async () => {
    const tree = buildMerkleTree([timestampDigest('another'), receiptDigest(certificate)]);
    const path = tree.inclusionPath(1).map((hash) => `sha256:${encodeHex(hash)}`);
    const timestamped = withToken(certificate, await tokenOver(tree.root), {
      inclusion: { treeSize: 2, leafIndex: 1, path },
    });
    expect((await verify(timestamped)).exitCode).toBe(0);
  });

  it('fails without token or roots, or after an older compromise', async () => {
    const timestamped = withToken(certificate, await tokenOver(receiptDigest(certificate)));
    for (const said of [
      await verify(certificate),
      await verify(timestamped, []),
      await verify(timestamped, rootsOf(tsa), EARLIER),
    ]) {
      expect(said.exitCode).toBe(1);
      expect(failureOf(said)).toMatchObject({ reason: 'KEY_REVOKED' });
    }
    expect((await verify(timestamped, [])).stdout).toContain('--tsa-roots FILE checks it');
  });

  it('fails with a token over the content alone', async () => {
    const content = await tokenOver(timestampDigest(textMember(certificate, 'certificateHash')));
    const said = await verify(withToken(certificate, content));
    expect(failureOf(said)).toMatchObject({
      reason: 'KEY_REVOKED',
      timestamp: { status: 'verified', covers: 'content' },
    });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('it saw the content, and not the signature');
  });

  it('fails with the token of another record pasted in', async () => {
    const pasted = await tokenOver(receiptDigest(await certified({ executionId: 'another' })));
    const said = await verify(withToken(certificate, pasted));
    expect(failureOf(said)).toMatchObject({ reason: 'KEY_REVOKED', timestamp: { status: 'invalid' } });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('Timestamp invalid: the imprint does not match');
  });

  it('fails with a token of an unpinned authority', async () => {
    const said = await verify(withToken(certificate, await tokenOver(receiptDigest(certificate))), rootsOf(other));
    expect(failureOf(said)).toMatchObject({ reason: 'KEY_REVOKED', timestamp: { status: 'untrusted' } });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('under no root that you pinned');
  });

  it('gets the same verdict in batches and audit packages', async () => {
    const record = await packageRecord('in-a-package');
    const timestamped = withToken(record.certificate, await tokenOver(receiptDigest(record.certificate)));
    const lines = folder.write(
      'many.ndjson',
      [timestamped, certificate].map((line) => JSON.stringify(line)).join('\n'),
    );
    const keys = ['--keys', revokedKeys(LATER)];
    const batch = await cer(['verify', '--batch', lines, '--json', ...keys, ...rootsOf(tsa)]);
    const statuses = batch.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(statuses).toMatchObject([{ status: 'VERIFIED' }, { status: 'FAILED' }, {}]);

    const entries = await packageEntries([{ ...record, certificate: timestamped }]);
    const zip = folder.write('package.zip', rawZip(entries));
    const checkOf = async (flags: readonly string[]): Promise<unknown> =>
      JSON.parse((await cer(['verify-package', zip, '--json', ...keys, ...flags])).stdout);
    expect(await checkOf(rootsOf(tsa))).toMatchObject({ checks: { certificates: 'PASS' }, records: { verified: 1 } });
    expect(await checkOf([])).toMatchObject({ checks: { certificates: 'FAIL' }, records: { failed: 1 } });
  });
});

describe('a project whose key was revoked as compromised', () => {
  it('is verified when all its receipts are timestamped', async () => {
    const step = withToken(certificate, await tokenOver(receiptDigest(certificate)));
    const project = buildProject({ projectBundleId: 'p', projectTitle: 'A project' }, [
      { stepId: 'one', bundle: step },
    ]);
    const projectHash = textMember(objectMember(project, 'integrity'), 'projectHash');
    if (!isSha256Hash(projectHash)) throw new TypeError('a project has a hash');
    const attestation = await attestProject(projectHash, TEST_TIME, TEST_ATTESTOR);
    const digest = timestampDigest(timestampedText(attestation.receipt, attestation.signature));
    const registered: JsonObject = { ...project, meta: { attestation } };
    const path = folder.write('project.json', withToken(registered, await tokenOver(digest)));
    const call = ['verify-project', path, '--keys', revokedKeys(LATER)];
    const said = await cer([...call, ...rootsOf(tsa)]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('the timestamp shows that the signature is older');
    expect(JSON.parse((await cer([...call, ...rootsOf(tsa), '--json'])).stdout)).toMatchObject({
      status: 'VERIFIED',
      timestamp: { status: 'verified', covers: 'receipt' },
      keyRescue: { limit: LATER },
    });
    expect(failureOf(await cer(call))).toMatchObject({ reason: 'KEY_REVOKED' });
    const bare = folder.write('project.json', registered);
    expect((await cer(['verify-project', bare, '--keys', revokedKeys(LATER), ...rootsOf(tsa)])).exitCode).toBe(1);
  });
});

describe('roots that cannot be used', () => {
  it.each<[string, () => string, string]>([
    ['a missing file', () => folder.file('none.pem'), 'no such file'],
    ['no certificate', () => folder.write('text.pem', 'canary'), 'at least one PEM certificate'],
    [
      'a key beside the certificate',
      () => folder.write('key.pem', `${tsa.rootPem}-----BEGIN PRIVATE KEY-----\n`),
      'nothing but',
    ],
    ['standard input', () => '-', 'must be a file'],
  ])('are a wrong call: %s', async (_name, path, message) => {
    for (const command of ['verify', 'verify-project', 'verify-package']) {
      const said = await cer([command, folder.write('certificate.json', certificate), '--tsa-roots', path()]);
      expect(said).toMatchObject({ exitCode: 3, stdout: '' });
      expect(said.stderr).toContain(message);
      expect(said.stderr).not.toContain('canary');
    }
  });
});
