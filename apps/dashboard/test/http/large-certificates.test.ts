import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { testKeySet, testSigner } from '@cer/keys/testing';
import request, { type Response } from 'supertest';
import { issueShare } from '../../src/shares/share.js';
import { startDashboardBesideNode } from '../dashboard-beside-node.js';
import { TestBrowser } from '../test-browser.js';
import { PUBLIC_URL, type TestDashboard } from '../test-dashboard.js';

// A node whose only certificate is large.

const MIB = 1024 * 1024;
const HASH = `sha256:${'a'.repeat(64)}`;
const SAID = 'Large certificates of this account were opened too often in the last minute.';
let certificate = '';
let dashboard: TestDashboard;
let owner: TestBrowser;

beforeAll(async () => {
  const row = {
    ...{ certificateHash: HASH, kind: 'full', bundleType: 'cer.ai.execution.v1', protocolVersion: null },
    ...{ executionId: 'run-1', appId: null, provider: null, model: null, timestampedAt: null, status: 'visible' },
    ...{ firstAttestedAt: '2026-01-01T00:00:00.000Z', verificationUrl: 'https://verify.example.com/c/run-1' },
  };
  const noReviews = () => JSON.stringify({ records: [], nextCursor: null });
  const answers = new Map<string, () => string>([
    ['/v1/records', () => JSON.stringify({ records: [row], nextCursor: null })],
    ['/v1/records/certificate', () => certificate],
    ['/.well-known/svc-node.json', () => JSON.stringify(testKeySet({ signers: [{ signer: testSigner(1) }] }))],
  ]);
  dashboard = await startDashboardBesideNode(({ url = '' }, answer) => {
    const { pathname, searchParams } = new URL(url, 'http://node.example');
    const found = searchParams.has('reviewed_hash') ? noReviews : answers.get(pathname);
    answer.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    answer.end(found?.() ?? '{}');
  });
  owner = new TestBrowser(dashboard.app);
  await owner.signIn();
});
afterAll(() => dashboard.close());
afterEach(() => {
  dashboard.pass(60_000);
});

const sized = (bytes: number): string => JSON.stringify({ filler: 'x'.repeat(bytes) });
const statusesOf = (answers: readonly Response[]): readonly number[] => answers.map(({ status }) => status);

const openLink = async (): Promise<() => Promise<Response>> => {
  const target = { kind: 'certificate', target: HASH } as const;
  const { url, ...share } = issueShare(PUBLIC_URL, dashboard.tenant.tenantId, target, 7, dashboard.now());
  await dashboard.store.shares.create(share, 'test');
  return async () => request(dashboard.app).get(new URL(url).pathname);
};

it('are opened until 16 MiB of an account were read in a minute', async () => {
  certificate = sized(5 * MIB);
  const opened: Response[] = [];
  for (const end of ['certificate', 'download', 'certificate', 'download', 'certificate'])
    opened.push(await owner.get(`/records/${end}/${HASH}`));
  expect(statusesOf(opened)).toEqual([200, 200, 200, 503, 503]);
  expect(opened[4]?.text).toContain(SAID);
  certificate = sized(20_000);
  expect((await owner.get(`/records/certificate/${HASH}`)).status).toBe(200);
  certificate = sized(5 * MIB);
  dashboard.pass(60_000);
  expect((await owner.get(`/records/certificate/${HASH}`)).status).toBe(200);
});

it('are opened by holders of links within a budget of their own', async () => {
  certificate = sized(5 * MIB);
  const [open, openOther] = [await openLink(), await openLink()];
  const opened: Response[] = [];
  for (const next of [open, openOther, open, openOther, open]) opened.push(await next());
  expect(statusesOf(opened)).toEqual([200, 200, 200, 503, 503]);
  expect((await owner.get(`/records/certificate/${HASH}`)).status).toBe(200);
});

it('are opened by some of many requests at once', async () => {
  certificate = sized(5 * MIB);
  const open = await openLink();
  const statuses = statusesOf(await Promise.all(Array.from({ length: 20 }, open)));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3);
});

it('are refused until the next whole minute, as Retry-After says', async () => {
  certificate = sized(9 * MIB);
  dashboard.pass(60_000 - (dashboard.now().getTime() % 60_000) + 13_400);
  const open = await openLink();
  await owner.get(`/records/download/${HASH}`);
  await open();
  const refused = [
    await owner.get(`/records/certificate/${HASH}`),
    await owner.get(`/records/download/${HASH}`),
    await open(),
  ];
  expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
    refused.map(() => [503, '47']),
  );
});

it('are opened alone at any size', async () => {
  certificate = sized(20 * MIB);
  expect((await owner.get(`/records/download/${HASH}`)).status).toBe(200);
});
