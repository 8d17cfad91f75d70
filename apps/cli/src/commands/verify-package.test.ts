import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '@cer/cer-core/testing';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { packageEntries, packageRecord, type PackageChanges, type PackageRecord } from '../testing/audit-package.js';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';
import { expectSameInPython } from '../testing/python-verifier.js';
import { rawZip, type RawEntry } from '../testing/raw-zip.js';

const folder = new Folder();
let keys: string;
let records: PackageRecord[];
let good: RawEntry[];

beforeAll(async () => {
  keys = folder.write('keys.json', keySetOf());
  // The order within one moment is free, so any order of hashes is right.
  records = await Promise.all(['one', 'two', 'three'].map((id) => packageRecord(id, { appId: 'app' })));
  good = await packageEntries(records);
});
afterAll(() => {
  folder.remove();
});

function keySetOf(members: Partial<Parameters<typeof testKeySet>[0]['signers'][0]> = {}): string {
  return JSON.stringify(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER, ...members }] }));
}

async function verified(zip: Uint8Array, ...flags: readonly string[]): Promise<Said> {
  const args = [folder.write('package.zip', zip), ...(flags.length > 0 ? flags : ['--keys', keys])];
  const said = await cer(['verify-package', ...args]);
  // The two limits of bytes differ: only this one has a flag.
  if (!flags.includes('--max-bytes')) await expectSameInPython(args, said);
  return said;
}

/** A package that fails: one JSON report on stderr, and the code that decided. */
async function refused(zip: Uint8Array, ...flags: readonly string[]): Promise<Record<string, unknown>> {
  const said = await verified(zip, ...flags);
  expect(said.exitCode).toBe(1);
  expect(said.stdout).toMatch(/^FAILED \(/);
  return JSON.parse(said.stderr) as Record<string, unknown>;
}

const changed = (name: string, change: Partial<RawEntry>): RawEntry[] =>
  good.map((entry) => (entry.name === name ? { ...entry, ...change } : entry));

const made = async (changes: PackageChanges, of: readonly PackageRecord[] = records): Promise<Buffer> =>
  rawZip(await packageEntries(of, changes));

const LINK = 0o120777 << 16;

describe('cer verify-package', () => {
  it('names the command for a file that is not a ZIP', async () => {
    const whole = rawZip(good);
    for (const [bytes, rule] of [
      [Buffer.from('{"certificateHash":"sha256:a"}\n'), 'is not a ZIP: cer verify checks'],
      [whole.subarray(0, 200), 'is not a complete ZIP: was the download cut off?'],
    ] as const) {
      const { reason, findings } = await refused(bytes);
      expect([reason, findings]).toEqual([
        'PACKAGE_MALFORMED',
        [expect.objectContaining({ detail: expect.stringContaining(rule) })],
      ]);
    }
  });

  it('reports a good package as complete', async () => {
    const { exitCode, stdout, stderr } = await verified(rawZip(good));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^VERIFIED\n {2}This package is complete: the node signed that these 3 records are all/);
    expect(stdout).toContain('tenant-test');
    expect(stdout).not.toMatch(/^ {2}(fail|skipped) /m);
  });

  it('reports the same as JSON', async () => {
    const { stdout } = await verified(rawZip(good), '--keys', keys, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'VERIFIED',
      code: 'OK',
      completeness: 'complete',
      checks: { form: 'PASS', manifestSignature: 'PASS', entries: 'PASS', certificates: 'PASS', records: 'PASS' },
      manifest: { count: 3, entries: 4, nodeId: TEST_NODE_ID },
      records: { total: 3, verified: 3, failed: 0 },
      findings: [],
    });
  });

  describe('with coverage', () => {
    const row = { day: TEST_TIME.slice(0, 10), appId: 'app', certified: 4, reports: 1, refused: 3 };
    const reported = {
      ...{ clients: 2, unclosed: 0, seen: 9, sealed: 5, aborted: 1, failed: 0, truncated: 0, skipped: 3, unsealed: 1 },
      ...{ dropped: 0, dead: 2, open: 0, waiting: 0 },
    };
    const refusals = { QUOTA_EXCEEDED: 1, VALIDATION_ERROR: 2 };
    const file = { type: 'svc.coverage.v1', from: '2026-01-01', to: null, appId: null, isCounted: true };
    const withFile = (days: readonly object[], members: object = {}): Promise<Buffer> =>
      made({ more: [{ name: 'coverage.json', content: JSON.stringify({ ...file, days, ...members }) }] });

    it('shows the counts of node and producers', async () => {
      const { exitCode, stdout } = await verified(await withFile([{ ...row, refusals, reported }]));
      expect(exitCode).toBe(0);
      const shown = stdout.replaceAll(/\s+/g, ' ');
      expect(shown).toContain('Days 2026-01-01 to the newest, whole days Certified 4 calls, deleted ones included');
      expect(shown).toContain('Refused 3: QUOTA_EXCEEDED 1, VALIDATION_ERROR 2');
      expect(shown).toContain(
        'counted 9 calls: 5 with a certificate (1 aborted), 4 without: 3 by choice, 1 not sealable',
      );
      expect(shown).toContain('2 certificates were refused for good');
      const json = await verified(await withFile([{ ...row, refusals, reported: null }]), '--keys', keys, '--json');
      expect(JSON.parse(json.stdout)).toMatchObject({ coverage: { certified: 4, refused: 3, reported: null } });
    });

    it.each([
      ['counts fewer certificates', [{ ...row, certified: 1, refusals, reported }], {}],
      ['misses a day', [{ ...row, day: '2020-01-01', refusals, reported }], {}],
      ['is malformed', [{ ...row, refusals: { 'no code': 1 }, reported }], {}],
      ['has another type', [], { type: 'svc.coverage.v2' }],
    ])('refuses one that %s', async (_, days, members) => {
      const report = await refused(await withFile(days, members));
      expect(report).toMatchObject({ code: 'COVERAGE_INVALID', completeness: 'unknown' });
    });

    it('accepts one that the node had not finished', async () => {
      const { exitCode, stdout } = await verified(await withFile([], { isCounted: false }));
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('had not counted every certificate yet')]);
    });
  });

  it('accepts time fields that other programs write', async () => {
    const times = (bytes: number): Buffer => Buffer.concat([Buffer.of(0x55, 0x54, bytes, 0), Buffer.alloc(bytes, 3)]);
    const zip = rawZip(good.map((entry) => ({ ...entry, extra: times(5), localExtra: times(13) })));
    expect((await verified(zip)).exitCode).toBe(0);
  });

  it('accepts parts, and a package without records', async () => {
    expect((await verified(await made({ perPart: 1 }))).exitCode).toBe(0);
    const empty = await verified(await made({ perPart: 1 }, []));
    expect([empty.exitCode, empty.stdout]).toEqual([0, expect.stringContaining('these 0 records')]);
  });

  it.each<[string, () => Uint8Array, string]>([
    ['a name that is absolute', () => rawZip(changed('README.txt', { name: '/README.txt' })), 'ENTRY_NAME_UNSAFE'],
    ['a drive', () => rawZip(changed('README.txt', { name: 'C:README.txt' })), 'ENTRY_NAME_UNSAFE'],
    ['a name that leads out', () => rawZip(changed('README.txt', { name: 'a/../../README.txt' })), 'ENTRY_NAME_UNSAFE'],
    [
      'a backslash that leads out',
      () => rawZip(changed('README.txt', { name: '..\\README.txt' })),
      'ENTRY_NAME_UNSAFE',
    ],
    [
      'a name with a control character',
      () => rawZip(changed('README.txt', { name: 'READ\u001bME' })),
      'ENTRY_NAME_UNSAFE',
    ],
    ['a folder', () => rawZip([...good, { name: 'folder/', content: '' }]), 'ENTRY_NAME_UNSAFE'],
    ['a name twice', () => rawZip([...good, { name: 'README.txt', content: 'x' }]), 'ENTRY_DUPLICATE'],
    ['a name twice but for its case', () => rawZip([...good, { name: 'readme.TXT', content: 'x' }]), 'ENTRY_DUPLICATE'],
    [
      'a link',
      () => rawZip(changed('README.txt', { content: '/etc/passwd', externalAttributes: LINK })),
      'ENTRY_SPECIAL_FILE',
    ],
    ['an encrypted entry', () => rawZip(changed('README.txt', { flags: 1, statedSize: 5 })), 'ENTRY_ENCRYPTED'],
    ['strong encryption', () => rawZip(changed('README.txt', { flags: 0x41 })), 'ENTRY_ENCRYPTED'],
    ['an unknown compression', () => rawZip(changed('README.txt', { method: 12 })), 'PACKAGE_MALFORMED'],
    [
      'a second name in an extra field',
      () => rawZip(changed('README.txt', { extra: unicodePath('other') })),
      'PACKAGE_MALFORMED',
    ],
    [
      'a second name in an extra field of the local header',
      () => rawZip(changed('README.txt', { localExtra: unicodePath('other') })),
      'ENTRY_HEADER_MISMATCH',
    ],
    [
      'more in a field of times than times',
      () => rawZip(changed('README.txt', { extra: Buffer.concat([Buffer.of(0x55, 0x54, 14, 0), Buffer.alloc(14)]) })),
      'PACKAGE_MALFORMED',
    ],
    [
      'a field twice',
      () => rawZip(changed('README.txt', { localExtra: Buffer.of(0x55, 0x54, 0, 0, 0x55, 0x54, 0, 0) })),
      'ENTRY_HEADER_MISMATCH',
    ],
    [
      'bytes behind the last field',
      () => rawZip(changed('README.txt', { localExtra: Buffer.of(0x55, 0x54, 0, 0, 7) })),
      'ENTRY_HEADER_MISMATCH',
    ],
    [
      'another name in its own header',
      () => rawZip(changed('README.txt', { local: { name: 'README.tx_' } })),
      'ENTRY_HEADER_MISMATCH',
    ],
    [
      'another size in its own header',
      () => rawZip(changed('README.txt', { local: { size: 1 } })),
      'ENTRY_HEADER_MISMATCH',
    ],
    [
      'another checksum in its own header',
      () => rawZip(changed('README.txt', { local: { crc: 1 } })),
      'ENTRY_HEADER_MISMATCH',
    ],
    [
      'other flags in its own header',
      () => rawZip(changed('README.txt', { local: { flags: 0x800 } })),
      'ENTRY_HEADER_MISMATCH',
    ],
    ['entries that share bytes', () => rawZip(changed('README.txt', { offset: 0 })), 'ENTRY_HEADER_MISMATCH'],
    ['bytes between entries', () => rawZip(changed('keys.json', { gap: 'hidden' })), 'ENTRY_HEADER_MISMATCH'],
    ['bytes before the directory', () => rawZip(changed('manifest.sig', { gap: 'hidden' })), 'PACKAGE_MALFORMED'],
    [
      'bytes before the first entry',
      () => Buffer.concat([Buffer.from('#!/bin/sh\n'), rawZip(good)]),
      'PACKAGE_MALFORMED',
    ],
    ['bytes behind the end', () => rawZip(good, { behind: 'hidden' }), 'PACKAGE_MALFORMED'],
    ['a comment', () => rawZip(good, { comment: 'hidden' }), 'PACKAGE_MALFORMED'],
    ['another disk', () => withDirectoryField(34, 1), 'PACKAGE_MALFORMED'],
    ['a later version of the format', () => withDirectoryField(6, 46), 'PACKAGE_MALFORMED'],
    ['a cut end', () => rawZip(good).subarray(0, -40), 'PACKAGE_MALFORMED'],
    ['something else', () => Buffer.from('no ZIP at all'), 'PACKAGE_MALFORMED'],
    ['nothing', () => Buffer.alloc(0), 'PACKAGE_MALFORMED'],
  ])('refuses %s before it unpacks anything', async (_, zip, code) => {
    expect(await refused(zip())).toMatchObject({
      reason: code,
      completeness: 'unknown',
      checks: { form: 'FAIL', certificates: 'SKIPPED' },
      records: { total: 0 },
    });
  });

  /** The good package with another number of 16 bits in the first record of its directory. */
  function withDirectoryField(at: number, value: number): Buffer {
    const zip = rawZip(good);
    zip.writeUInt16LE(value, zip.readUInt32LE(zip.length - 6) + at);
    return zip;
  }

  it('refuses a zip bomb by header and by content', async () => {
    const zeros = Buffer.alloc(200 * 1024 * 1024);
    const bomb: RawEntry = { name: 'bomb', content: zeros, deflated: true };
    expect(await refused(rawZip([...good, bomb]))).toMatchObject({ reason: 'PACKAGE_TOO_LARGE' });
    // Its header claims a small size.
    const lying: RawEntry = { name: 'README.txt', content: zeros, deflated: true, statedSize: 17 };
    expect(await refused(rawZip(changed('README.txt', lying)))).toMatchObject({ reason: 'PACKAGE_MALFORMED' });
    const small = await refused(rawZip(good), '--keys', keys, '--max-bytes', '1000');
    expect(small).toMatchObject({ reason: 'PACKAGE_TOO_LARGE' });
  });

  it('refuses too many entries before reading their names', async () => {
    const many = Array.from({ length: 60_000 }, (_, index): RawEntry => ({ name: `e${index}`, content: '' }));
    const zip = rawZip(many);
    // Sixteen bits are too few for more, so the longer form is put before the end.
    const long = Buffer.alloc(56);
    long.writeUInt32LE(0x06064b50, 0);
    long.writeBigUInt64LE(100_001n, 24);
    long.writeBigUInt64LE(100_001n, 32);
    long.writeBigUInt64LE(BigInt(zip.readUInt32LE(zip.length - 10)), 40);
    long.writeBigUInt64LE(BigInt(zip.readUInt32LE(zip.length - 6)), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(zip.length - 22), 8);
    expect(await refused(Buffer.concat([zip.subarray(0, -22), long, locator, zip.subarray(-22)]))).toMatchObject({
      reason: 'PACKAGE_TOO_LARGE',
    });
  });

  it.each<[string, () => RawEntry[], string]>([
    ['a changed file', () => changed('README.txt', { content: 'An audit Package.' }), 'ENTRY_CHANGED'],
    ['a longer file', () => changed('README.txt', { content: 'An audit package. ' }), 'ENTRY_CHANGED'],
    ['a missing file', () => good.filter(({ name }) => name !== 'README.txt'), 'ENTRY_MISSING'],
    ['an unlisted file', () => [...good, { name: 'more.txt', content: 'x' }], 'ENTRY_UNLISTED'],
    ['an unlisted part', () => [...good, { name: 'certificates/000002.ndjson', content: '' }], 'ENTRY_UNLISTED'],
    ['missing certificates', () => good.filter(({ name }) => !name.startsWith('cert')), 'ENTRY_MISSING'],
    [
      'a changed certificate',
      () => changed('certificates/000001.ndjson', { content: tampered() }),
      'CERTIFICATE_FAILED',
    ],
    ['a manifest that is not JSON', () => changed('manifest.json', { content: '{' }), 'MANIFEST_INVALID'],
    [
      'a manifest with white space',
      () => changed('manifest.json', { content: ` ${manifestText()}` }),
      'MANIFEST_INVALID',
    ],
    [
      'a manifest with an unknown member',
      () => changed('manifest.json', { content: manifestText({ more: 1 }) }),
      'MANIFEST_INVALID',
    ],
    [
      'another type of manifest',
      () => changed('manifest.json', { content: manifestText({ type: 'svc.other' }) }),
      'MANIFEST_INVALID',
    ],
    [
      'a changed manifest',
      () => changed('manifest.json', { content: manifestText({ count: 2 }) }),
      'ATTESTATION_INVALID_SIGNATURE',
    ],
    [
      'a changed signature',
      () => changed('manifest.sig', { content: new Uint8Array(64) }),
      'ATTESTATION_INVALID_SIGNATURE',
    ],
    [
      'a short signature',
      () => changed('manifest.sig', { content: new Uint8Array(63) }),
      'ATTESTATION_INVALID_SIGNATURE',
    ],
  ])('fails %s', async (_, entries, code) => {
    const report = await refused(rawZip(entries()));
    expect(report).toMatchObject({ status: 'FAILED', completeness: 'unknown' });
    expect(JSON.stringify(report['findings'])).toContain(code);
  });

  function tampered(): string {
    const { content } = good[0] ?? { content: '' };
    return String(content).replace('"provider":"example"', '"provider":"exomple"');
  }

  function manifestText(members: JsonObject = {}): string {
    const text = String(good.find(({ name }) => name === 'manifest.json')?.content);
    const value = { ...(JSON.parse(text) as JsonObject), ...members };
    return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  it.each(['manifest.json', 'manifest.sig'])(
    'checks a package without %s and reports unknown completeness',
    async (name) => {
      const zip = rawZip(good.filter((entry) => entry.name !== name));
      const report = await refused(zip);
      expect(report).toMatchObject({
        reason: 'MANIFEST_MISSING',
        completeness: 'unknown',
        checks: { certificates: 'PASS' },
        records: { total: 3, verified: 3, failed: 0 },
      });
      expect((await verified(zip)).stdout).toContain('Completeness is unknown');
    },
  );

  it.each<[string, NonNullable<PackageChanges['manifest']>, string]>([
    ['fewer records', { count: 2 }, 'RECORDS_MISMATCH'],
    ['another first record', { firstCursor: 'AAAA' }, 'RECORDS_MISMATCH'],
    ['another last record', { lastCursor: null }, 'RECORDS_MISMATCH'],
    ['an application', { query: query({ appId: 'other' }) }, 'RECORDS_MISMATCH'],
    ['a later time', { query: query({ attestedFrom: '2026-02-01T00:00:00.000Z' }) }, 'RECORDS_MISMATCH'],
    ['an earlier time', { query: query({ attestedTo: '2026-01-01T00:00:00.000Z' }) }, 'RECORDS_MISMATCH'],
    ['hidden records', { query: query({ status: 'hidden' }) }, 'RECORDS_MISMATCH'],
    ['another type', { query: query({ bundleType: 'cer.ai.execution.v2' }) }, 'RECORDS_MISMATCH'],
    ['another node', { nodeId: 'node-other' }, 'ATTESTATION_INVALID_SIGNATURE'],
    ['an unknown key', { kid: 'other' }, 'ATTESTATION_KEY_NOT_FOUND'],
    ['a time before the key', { signedAt: '2019-01-01T00:00:00.000Z' }, 'ATTESTATION_KEY_NOT_FOUND'],
  ])('fails a manifest that states %s, signed or not', async (_, manifest, code) => {
    expect(await refused(await made({ manifest }))).toMatchObject({ reason: code, completeness: 'unknown' });
  });

  function query(members: Partial<NonNullable<NonNullable<PackageChanges['manifest']>['query']>>) {
    return { attestedFrom: null, attestedTo: null, appId: null, bundleType: null, status: null, ...members };
  }

  it.each<[string, () => PackageRecord[]]>([
    ['a record twice', () => [...records, ...records.slice(0, 1)]],
    ['a record in the wrong place', () => withReceipt(1, { firstAttestedAt: '2025-01-01T00:00:00.000Z' })],
    ["another record's receipt", () => withReceipt(1, records[2]?.receipt ?? {})],
    ['a record with another time than its receipt', () => withReceipt(1, { attestedAt: '2026-01-03T00:00:00.000Z' })],
    ['another cursor', () => withReceipt(1, { cursor: 'AAAA' })],
  ])('fails %s, though the node signed it so', async (_, changedRecords) => {
    const report = await refused(await made({}, changedRecords()));
    expect(report).toMatchObject({ checks: { manifestSignature: 'PASS', entries: 'PASS' }, completeness: 'unknown' });
  });

  it.each<[string, readonly PackageRecord[], string]>([
    [
      'a receipt',
      [{ certificate: {}, receipt: { receipt: { nodeId: '\ud800' }, signature: 'x' } }],
      'RECORDS_MISMATCH',
    ],
    ['the manifest', [], 'MANIFEST_INVALID'],
  ])('fails a lone surrogate in %s', async (_, of, code) => {
    const zip = await packageEntries(of);
    const text = String(zip.find(({ name }) => name === 'manifest.json')?.content);
    const spoiled = zip.map((entry) =>
      entry.name === 'manifest.json' && of.length === 0
        ? { ...entry, content: text.replace(TEST_NODE_ID, '\\ud800') }
        : entry,
    );
    const report = await refused(rawZip(spoiled));
    expect(JSON.stringify(report['findings'])).toContain(code);
  });

  it('fails a line that is more than its certificate', async () => {
    const more = (line: string): string => line.replace(/}\n/, '},"note":1\n');
    expect(await refused(await withPart('certificates/000001.ndjson', more))).toMatchObject({
      reason: 'CERTIFICATE_FAILED',
      completeness: 'complete',
      records: { total: 3, verified: 2, failed: 1 },
    });
  });

  it('counts a line of other white space than that of JSON', async () => {
    const report = await refused(await withPart('receipts/000001.ndjson', (lines) => `${lines}\u000b\n`));
    expect(report).toMatchObject({ reason: 'RECORDS_MISMATCH', records: { total: 3, verified: 3 } });
  });

  /** A package that the node signed with other lines in a part. */
  async function withPart(part: string, change: (lines: string) => string): Promise<Buffer> {
    const lines = good.map(({ name, content }) => ({
      name,
      content: name === part ? change(String(content)) : content,
    }));
    const listed = lines.filter(({ name }) => !name.startsWith('manifest'));
    const entries = listed.map(({ name, content }) => ({
      name,
      size: Buffer.byteLength(content),
      sha256: sha256(content),
    }));
    const signed = await packageEntries(records, { manifest: { entries } });
    return rawZip([...listed, ...signed.filter(({ name }) => name.startsWith('manifest'))]);
  }

  it('compares records with a query for reviews', async () => {
    const asked = { manifest: { query: query({ reviewedHash: `sha256:${'1'.repeat(64)}` }) } };
    expect(await refused(await made(asked))).toMatchObject({ reason: 'RECORDS_MISMATCH' });
    const payload = { subject: 'project', reviewed: `sha256:${'1'.repeat(64)}`, decision: 'approved' };
    const signal = { type: 'review', source: 'human-review.v1', step: 0, timestamp: TEST_TIME, payload };
    const review = { provider: 'human', model: 'human-review.v1', context: { signals: [signal] } };
    const zip = await made(asked, [await packageRecord('review', review)]);
    expect(await verified(zip)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('accepts certificates of every depth that nodes attest', async () => {
    const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);
    // The certificate and its context are two levels.
    const deep = await packageRecord('deep', { context: { signals: [], deep: nested(126) } });
    expect(await verified(await made({}, [deep]))).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('distinguishes a failed certificate from an incomplete package', async () => {
    const zip = await made({}, withReceipt(1, { signature: 'A'.repeat(86) }));
    expect(await refused(zip)).toMatchObject({
      status: 'FAILED',
      reason: 'CERTIFICATE_FAILED',
      completeness: 'complete',
      checks: { manifestSignature: 'PASS', entries: 'PASS', records: 'PASS', certificates: 'FAIL' },
      records: { total: 3, verified: 2, failed: 1 },
    });
    const { stdout } = await verified(zip);
    expect(stdout).toContain('FAILED (CERTIFICATE_FAILED)');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('But 1 of them must not be relied on');
    expect(stdout).not.toContain('the package is not that');
  });

  function withReceipt(index: number, members: JsonObject): PackageRecord[] {
    return records.map((record, at) =>
      at === index ? { ...record, receipt: { ...record.receipt, ...members } } : record,
    );
  }

  it("trusts only the caller's keys", async () => {
    expect(await refused(rawZip(good), '--keys', keys, '--node', 'node-other')).toMatchObject({
      reason: 'ATTESTATION_INVALID_SIGNATURE',
    });
    // An empty package has no certificate that names the owner of these keys.
    const renamed = await made({ manifest: { nodeId: 'node-other' } }, []);
    expect(await refused(renamed, '--keys', keys, '--node', 'node-other')).toMatchObject({
      reason: 'ATTESTATION_INVALID_SIGNATURE',
    });
    const stranger = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: testSigner('stranger') }] });
    const strangers = folder.write('stranger.json', JSON.stringify(stranger));
    expect(await refused(rawZip(good), '--keys', strangers)).toMatchObject({ reason: 'ATTESTATION_KEY_NOT_FOUND' });
    const revoked = folder.write(
      'revoked.json',
      keySetOf({ status: 'revoked', revokedAt: '2026-01-01T00:00:00.000Z' }),
    );
    expect(await refused(rawZip(good), '--keys', revoked)).toMatchObject({ reason: 'KEY_REVOKED' });
    const path = folder.write('package.zip', rawZip(good));
    const { exitCode, stderr, stdout } = await cer(['verify-package', path]);
    expect([exitCode, JSON.parse(stderr)]).toMatchObject([1, { reason: 'VERIFICATION_MATERIAL_UNAVAILABLE' }]);
    expect(stdout).toContain('Completeness is unknown: the signature over');
    expect(stdout).toContain('What to do next\n  Pass the keys of the node');
    const cut = await verified(Buffer.from('no package'));
    expect(cut.stdout).toContain('What to do next\n  Get the package again from the node (cer records export)');
  });

  it('prints names from the package safely', async () => {
    const { stdout, stderr } = await verified(rawZip([...good, { name: 'x\u001b[31m', content: '' }]));
    expect(stdout + stderr).not.toContain('\u001b');
  });

  it.each([[['-']], [[]], [['missing.zip']], [['.']], [['a', 'b']], [['--max-bytes', '0', 'a']]])(
    'rejects a wrong call: %j',
    async (args) => {
      const { exitCode, stderr } = await cer(['verify-package', ...args]);
      expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^cer: /)]);
    },
  );
});

function unicodePath(name: string): Buffer {
  const field = Buffer.alloc(9 + name.length);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + name.length, 2);
  field.writeUInt8(1, 4);
  field.write(name, 9, 'latin1');
  return field;
}
