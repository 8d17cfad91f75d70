import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import type { AuditPackageQuery } from '@cer/cer-core/logs';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { appendLeaves } from '@cer/tlog/merkle';
import { testPolicy, TestWitness } from '@cer/tlog/testing';
import { packageEntries, packageRecord, type PackageRecord } from '../testing/audit-package.js';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';
import { LoggedTenant } from '../testing/logged-tenant.js';
import { expectSameInPython } from '../testing/python-verifier.js';
import { rawZip } from '../testing/raw-zip.js';

const folder = new Folder();
const witnesses = [new TestWitness('w1')];
let records: readonly PackageRecord[];
let tenant: LoggedTenant;
let keys: string;

/** As a node orders records of one time. */
function hashOf({ receipt: { certificateHash } }: PackageRecord): string {
  if (typeof certificateHash !== 'string') throw new TypeError('the record has no hash');
  return certificateHash;
}

beforeAll(async () => {
  const made = await Promise.all(['a', 'b', 'c'].map((id) => packageRecord(id)));
  records = made.sort((one, other) => (hashOf(one) < hashOf(other) ? -1 : 1));
  keys = folder.write('keys.json', testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }) as never);
});
beforeEach(() => {
  tenant = new LoggedTenant();
});
afterAll(() => {
  folder.remove();
});

function objectIn({ receipt }: JsonObject): JsonObject {
  if (!isJsonObject(receipt)) throw new TypeError('the record has no receipt');
  return receipt;
}

interface Handed {
  readonly records?: readonly PackageRecord[];
  readonly openings?: readonly JsonObject[];
  readonly document?: JsonObject;
  readonly query?: Partial<AuditPackageQuery>;
  /** When the log began, as its statement says. */
  readonly since?: string;
}

/** Verifies a package of these records under a policy with both logs. */
async function verify(
  { records: shown = records, openings, document, query, since }: Handed = {},
  ...more: string[]
): Promise<Said> {
  const lines = openings ?? tenant.openings();
  const logs = [{ origin: tenant.receipts.origin, since, mmdSeconds: 3600 }];
  const entries = await packageEntries(shown, {
    manifest: {
      query: { attestedFrom: null, attestedTo: null, appId: null, bundleType: null, status: null, ...query },
    },
    more: [
      ...(since === undefined ? [] : [{ name: 'log/statement.json', content: JSON.stringify({ logs }) }]),
      { name: 'log/completeness.json', content: JSON.stringify(document ?? (await tenant.completeness(witnesses))) },
      { name: 'log/openings/000001.ndjson', content: lines.map((line) => `${JSON.stringify(line)}\n`).join('') },
    ],
  });
  const file = folder.write('package.zip', rawZip(entries));
  const policy = folder.write('policy.txt', testPolicy([tenant.receipts, tenant.epochs], witnesses));
  const args = [file, '--keys', keys, '--log-policy', policy, ...more];
  const said = await cer(['verify-package', ...args]);
  await expectSameInPython(args, said);
  return said;
}

const codesOf = ({ stderr }: Said): readonly string[] => [
  ...new Set((JSON.parse(stderr) as { findings: { code: string }[] }).findings.map(({ code }) => code)),
];

describe('a package with the openings of its log', () => {
  it('is proven complete, with the numbers of its tenant', async () => {
    for (const record of records) tenant.log(record);
    tenant.endEpoch(3);
    const said = await verify();
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('Numbers 1 to 3 of this tenant; none was deleted.');
    expect(JSON.parse((await verify({}, '--json')).stdout)).toMatchObject({
      log: { status: 'proven', numbers: [1, 3], leaves: 3, certificates: 3, deleted: 0, elsewhere: 0 },
    });
  });

  it('counts and dates deletions', async () => {
    for (const record of records) tenant.log(record);
    tenant.logDeletion([[2, 2]]);
    tenant.endEpoch(3);
    const kept = records.filter((_, at) => at !== 1);
    const said = await verify({ records: kept, openings: tenant.openings((n) => (n === 2 ? 'erased' : 'owner')) });
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('1 was deleted, nothing of it is known');
  });

  it('is proven from an earlier epoch on', async () => {
    for (const record of records.slice(0, 1)) tenant.log(record);
    tenant.endEpoch(-1);
    for (const record of records.slice(1)) tenant.log(record);
    tenant.endEpoch(3);
    const document = await tenant.completeness(witnesses, 0);
    const said = await verify({ document, openings: tenant.openings(undefined, 1) });
    // The package asks for everything, so a later beginning proves too little, and one record is not in the range.
    expect(codesOf(said)).toEqual(['LOG_RANGE_INVALID', 'LOG_RECORD_UNLOGGED']);
  });

  it.each([
    ['is proven with the first receipt beside a reseal', 0, []],
    ['is not proven with the receipt of another record', 1, ['LOG_RECORD_MISSING']],
  ])('%s', async (_name, at, codes) => {
    const [record, other] = records;
    if (record === undefined || other === undefined) throw new TypeError('two records');
    // Attested again: its line has the newest receipt, the certificate no history.
    const { receipt } = [record, other][at] ?? record;
    const first = { ...objectIn(receipt), timestamp: '2026-01-01T00:00:00.000Z' };
    const attestation = { receipt: first, signature: 'of the first receipt' };
    tenant.log({ ...record, receipt: attestation });
    for (const each of records) tenant.log(each, { kind: 'again' });
    tenant.endEpoch(3);
    const renewed = { ...record, receipt: { ...record.receipt, attestationHistory: [{ attestation }] } };
    const { stdout } = await verify({ records: [renewed, ...records.slice(1)] }, '--json');
    const { findings } = JSON.parse(stdout) as { findings: { code: string }[] };
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it.each([
    ['is outside a period that begins later in its second', { attestedFrom: '2026-01-02T03:04:05.300Z' }, []],
    [
      'is inside a period that ends later in its second',
      { attestedTo: '2026-01-02T03:04:05.300Z' },
      ['LOG_RECORD_MISSING'],
    ],
  ])('a leaf %s', async (_name, query, codes) => {
    const [record] = records;
    if (record === undefined) throw new TypeError('a record');
    tenant.log(record, { at: '2026-01-02T03:04:05.200Z' });
    tenant.endEpoch(3);
    const { stdout } = await verify({ records: [], openings: tenant.openings(() => 'label'), query }, '--json');
    const { findings } = JSON.parse(stdout) as { findings: { code: string }[] };
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it('needs no leaf of a record from before the log in the same second', async () => {
    for (const record of records.slice(1)) tenant.log(record);
    tenant.endEpoch(3);
    // The records are of TEST_TIME, 05.678 s.
    const { stdout } = await verify({ since: '2026-01-02T03:04:05.900Z' }, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ findings: [], log: { status: 'proven', leaves: 2 } });
  });

  it('is not judged without a policy or with unknown filters', async () => {
    for (const record of records) tenant.log(record);
    tenant.endEpoch(3);
    const entries = await packageEntries(records);
    const file = folder.write('plain.zip', rawZip(entries));
    const said = await cer(['verify-package', file, '--keys', keys, '--json']);
    expect(JSON.parse(said.stdout)).toMatchObject({ status: 'VERIFIED', log: { status: 'absent' } });
  });
});

describe('a package without a proof of its log', () => {
  const policyOf = (): string => folder.write('policy.txt', testPolicy([tenant.receipts, tenant.epochs], witnesses));
  const verifyPlain = async (...more: string[]): Promise<Said> => {
    const args = [folder.write('plain.zip', rawZip(await packageEntries(records))), '--keys', keys, ...more];
    const said = await cer(['verify-package', ...args]);
    await expectSameInPython(args, said);
    return said;
  };

  it('fails where one is demanded', async () => {
    const said = await verifyPlain('--log-policy', policyOf(), '--require-log');
    expect([said.exitCode, codesOf(said)]).toEqual([1, ['LOG_PROOF_MISSING']]);
    expect(said.stdout.replace(/\s+/g, ' ')).toContain('The node signed that this package is complete');
  });

  it('is reported as one where a policy is pinned', async () => {
    const said = await verifyPlain('--log-policy', policyOf());
    expect([said.exitCode, said.stdout.replace(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringContaining('Transparency log This package has no proof of the log'),
    ]);
    expect((await verifyPlain()).stdout).not.toContain('Transparency log');
  });

  it('cannot be demanded without a policy', async () => {
    const said = await verifyPlain('--require-log');
    expect([said.exitCode, said.stderr]).toEqual([3, expect.stringContaining('--require-log needs --log-policy')]);
  });
});

it('states until when an empty range is proven', async () => {
  tenant.endEpoch(3);
  const { stdout } = await verify({ records: [] });
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'The witness w1 confirms that the log holds no number of this tenant in this period up to 2026-01-02T06:04:05.678Z.',
  );
});

it.each([
  ['names its witness', () => witnesses, 'The witness w1 confirms that there are no others up to'],
  ['names no witness of a policy without one', (): TestWitness[] => [], 'your policy asks for no witness'],
])('a proven package %s', async (_name, of, sentence) => {
  for (const record of records) tenant.log(record);
  tenant.endEpoch(3);
  const policy = folder.write('other-policy.txt', testPolicy([tenant.receipts, tenant.epochs], of()));
  const said = await verify({}, '--log-policy', policy);
  expect(said.stdout.replace(/\s+/g, ' ')).toContain(sentence);
  const { log } = JSON.parse((await verify({}, '--log-policy', policy, '--json')).stdout) as { log: unknown };
  expect(log).toMatchObject({ status: 'proven', witnesses: of().map(({ key }) => key.name) });
});

it('passes with a proof that is demanded', async () => {
  for (const record of records) tenant.log(record);
  tenant.endEpoch(3);
  expect(await verify({}, '--require-log')).toMatchObject({ exitCode: 0, stderr: '' });
});

describe('the auditor finds', () => {
  beforeEach(() => {
    for (const record of records) tenant.log(record);
  });

  it('a record that was dropped from the package', async () => {
    tenant.endEpoch(3);
    expect(codesOf(await verify({ records: records.slice(1) }))).toEqual(['LOG_RECORD_MISSING']);
  });

  it('a missing record whose opening reveals only the label', async () => {
    tenant.endEpoch(3);
    const openings = tenant.openings((number) => (number === 1 ? 'label' : 'owner'));
    const said = await verify({ records: records.slice(1), openings });
    expect(codesOf(said)).toEqual(['LOG_RECORD_MISSING']);
  });

  it('a record that hides as attested again', async () => {
    tenant = new LoggedTenant();
    for (const [at, record] of records.entries()) tenant.log(record, at === 0 ? { kind: 'again' } : {});
    tenant.endEpoch(3);
    expect(codesOf(await verify({ records: records.slice(1) }))).toEqual(['LOG_RECORD_MISSING']);
  });

  it('a leaf called deleted without a logged deletion', async () => {
    tenant.endEpoch(3);
    const openings = tenant.openings((number) => (number === 1 ? 'erased' : 'owner'));
    expect(codesOf(await verify({ records: records.slice(1), openings }))).toEqual(['LOG_RECORD_MISSING']);
  });

  it('a leaf that was left out, added or swapped', async () => {
    tenant.endEpoch(3);
    const lines = tenant.openings();
    const [first, second, third] = lines;
    if (first === undefined || second === undefined || third === undefined) throw new TypeError('three lines');
    for (const openings of [
      [first, third],
      [...lines, third],
      [second, first, third],
    ]) {
      expect(codesOf(await verify({ openings }))).toContain('LOG_RANGE_INVALID');
    }
  });

  it('a record that was never logged', async () => {
    tenant.endEpoch(3);
    const extra = await packageRecord('d');
    const all = [...records, extra].sort((one, other) => (hashOf(one) < hashOf(other) ? -1 : 1));
    expect(codesOf(await verify({ records: all }))).toEqual(['LOG_RECORD_UNLOGGED']);
  });

  it('a certificate that was dated back', async () => {
    tenant = new LoggedTenant();
    for (const [at, record] of records.entries())
      tenant.log(record, at === 2 ? { at: '2026-01-01T00:00:00.000Z' } : {});
    tenant.endEpoch(3);
    expect(codesOf(await verify())).toEqual(['LOG_BACKDATED']);
  });

  it('another tenant tree than the map of the epoch holds', async () => {
    tenant.endEpoch(3, { head: appendLeaves(tenant.frontier, [new Uint8Array(32)]) });
    const document = await tenant.completeness(witnesses);
    const to = document['to'] as JsonObject;
    const head = { ...(to['head'] as JsonObject), size: 3 };
    expect(codesOf(await verify({ document: { ...document, to: { ...to, head } } }))).toContain('LOG_HEAD_INVALID');
  });

  it('an epoch that no witness of the policy saw', async () => {
    tenant.endEpoch(3);
    const document = await tenant.completeness([new TestWitness('stranger')]);
    expect(codesOf(await verify({ document }))).toEqual(['LOG_EPOCH_INVALID']);
  });

  it('the document of another tenant', async () => {
    tenant.endEpoch(3);
    const document = { ...(await tenant.completeness(witnesses)), tenantId: 'other' };
    expect(codesOf(await verify({ document }))).toContain('LOG_TENANT_MISMATCH');
  });
});
