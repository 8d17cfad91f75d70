import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testKeySet, testSigner } from '@cer/keys/testing';
import request from 'supertest';
import { issueShare } from '../../src/shares/share.js';
import type { ShareTarget } from '../../src/store/index.js';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { PUBLIC_URL, type TestDashboard } from '../test-dashboard.js';

// A node with a certificate, which it also finds by the hash of its reseal, and one whose executionId is that hash.

const hashOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
const SHARED = hashOf('a');
const RESEAL = hashOf('b');
const OTHER = hashOf('c');
/** A name whose second half is read backwards where it is shown raw. */
const BIDI = 'a\u202exe.txt';

let hidden: ReadonlySet<string>;
let dashboard: TestDashboard;

const RECORDS = [
  { certificateHash: SHARED, executionId: 'run-1', names: [SHARED, RESEAL] },
  { certificateHash: OTHER, executionId: SHARED, names: [OTHER] },
  { certificateHash: hashOf('d'), executionId: BIDI, names: [hashOf('d')] },
];

/** The rows that a query finds, by the filters that links use here. */
function found(query: URLSearchParams): readonly object[] {
  const [hash, executionId] = [query.get('certificate_hash'), query.get('execution_id')];
  return RECORDS.filter(
    (record) =>
      (hash === null || record.names.includes(hash)) &&
      (executionId === null || record.executionId === executionId) &&
      !query.has('project_hash') &&
      !(query.get('status') === 'visible' && hidden.has(record.certificateHash)),
  ).map(({ certificateHash, executionId: id }) => ({
    ...{ certificateHash, kind: 'full', bundleType: 'cer.ai.execution.v1', protocolVersion: null },
    ...{ executionId: id, appId: null, provider: null, model: null, timestampedAt: null, status: 'visible' },
    ...{ firstAttestedAt: '2026-01-01T00:00:00.000Z', verificationUrl: 'https://verify.example.com/c/1' },
  }));
}

beforeAll(async () => {
  dashboard = await startDashboardBesideNode(({ url = '' }, answer) => {
    const { pathname, searchParams } = new URL(url, 'http://node.example');
    if (pathname === '/v1/records') answer.end(JSON.stringify({ records: found(searchParams), nextCursor: null }));
    else if (pathname === '/v1/records/certificate') answer.end('{}');
    else answer.end(JSON.stringify(testKeySet({ signers: [{ signer: testSigner(1) }] })));
  });
});
beforeEach(() => {
  hidden = new Set();
});
afterAll(() => dashboard.close());

/** Statuses of a link to what is shared, of the certificate that it shows, and of the other certificate. */
async function statusesOf(target: ShareTarget): Promise<readonly number[]> {
  const { url, ...share } = issueShare(PUBLIC_URL, dashboard.tenant.tenantId, target, 7, dashboard.now());
  await dashboard.store.shares.create(share, 'test');
  const path = new URL(url).pathname;
  const ends = ['', ...[SHARED, OTHER].flatMap((hash) => [`/certificate/${hash}`, `/download/${hash}`])];
  const answers = await Promise.all(ends.map((end) => request(dashboard.app).get(`${path}${end}`)));
  return answers.map(({ status }) => status);
}

describe.each([
  ['of one certificate', { kind: 'certificate', target: SHARED }],
  ['of a certificate by its reseal', { kind: 'certificate', target: RESEAL }],
  ['of a search for a hash', { kind: 'set', target: `search=${SHARED}` }],
  ['of a search for a reseal', { kind: 'set', target: `search=${RESEAL}` }],
] as const)('a link %s', (_, target) => {
  it('opens what it shows, and nothing else', async () => {
    expect(await statusesOf(target)).toEqual([200, 200, 200, 404, 404]);
  });

  it('shows nothing else when the certificate is hidden', async () => {
    hidden = new Set([SHARED]);
    const [, ...statuses] = await statusesOf(target);
    expect(statuses).toEqual([404, 404, 404, 404]);
  });
});

it('a link of a search for an executionId opens what it shows', async () => {
  expect(await statusesOf({ kind: 'set', target: 'search=run-1' })).toEqual([200, 200, 200, 404, 404]);
});

it('shows names that reorder text as they are', async () => {
  const target = { kind: 'set', target: new URLSearchParams({ search: BIDI }).toString() } as const;
  const { url, ...share } = issueShare(PUBLIC_URL, dashboard.tenant.tenantId, target, 7, dashboard.now());
  await dashboard.store.shares.create(share, 'test');
  const path = new URL(url).pathname;
  for (const end of ['', `/certificate/${hashOf('d')}`]) {
    const { text } = await request(dashboard.app).get(`${path}${end}`);
    expect(text).toContain('a\\u{202e}xe.txt');
    expect(text).not.toContain('\u202e');
  }
});
