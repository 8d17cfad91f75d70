import { createHash, randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseJson, svcV1, type JsonObject } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { manifestRefusal, readManifest, type AuditPackageManifest } from '@cer/cer-core/logs';
import { evaluateCer } from '@cer/cer-core/verify';
import { executionRequest, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { parseKeySet } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';

import { ask, at, textAt } from './ask.js';
import { sealedElsewhere } from './sealed-elsewhere.js';
import { newRecord } from './store/new-record.js';
import { tenantWithMuch } from './tenant-with-much.js';
import { startTestNode, type TestNode } from './test-node.js';
import { openUnixSocket, type UnixSocket } from './unix-socket.js';
import { zipFiles, zipSizes } from './zip-files.js';

const keySet = parseKeySet(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));

let node: TestNode;
let socket: UnixSocket;
beforeAll(async () => {
  node = await startTestNode({ publish: { metadata: 'none' }, replace: () => ({ verifyLimitBytes: 512 * 1024 }) });
  socket = await openUnixSocket(node.deps);
});
afterAll(async () => {
  await socket.close();
  await node.close();
});

async function certified(key: string, members: JsonObject = {}): Promise<string> {
  const body = executionRequest({ executionId: randomUUID(), ...members });
  return textAt((await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).body, 'certificateHash');
}

function asked(key: string, query = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${node.url}/v1/records/export${query}`, { headers: { authorization: `Bearer ${key}` } }, resolve).on(
      'error',
      reject,
    );
  });
}

async function downloaded(key: string, query = ''): Promise<Buffer> {
  const response = await asked(key, query);
  expect(response.statusCode).toBe(200);
  return contentOf(response);
}

async function contentOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function linesOf(file: Buffer | undefined): JsonObject[] {
  return (file ?? Buffer.alloc(0))
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): JsonObject => JSON.parse(line) as JsonObject);
}

async function manifestOf(files: ReadonlyMap<string, Buffer>): Promise<AuditPackageManifest> {
  const bytes = files.get('manifest.json') ?? Buffer.alloc(0);
  const { manifest } = readManifest(parseJson(bytes));
  if (manifest === null) throw new Error('no manifest');
  const signature = files.get('manifest.sig') ?? Buffer.alloc(0);
  expect(await manifestRefusal(manifest, bytes, signature, { keySet, nodeId: null })).toBeNull();
  return manifest;
}

describe('GET /v1/records/export', () => {
  it('exports every own record as a verifiable certificate', async () => {
    const key = await node.newKey();
    const hashes = [await certified(key), await certified(key, { metadata: { canary: 1 } }), await certified(key)];
    const submitted = await ask(node, 'post', '/api/attest', {
      key,
      body: sealedElsewhere({ snapshot: { input: 'raw', inputHash: hashValue('raw', svcV1, '') } }),
    });
    expect(submitted.status).toBe(200);
    hashes.push(textAt(submitted.body, 'certificateHash'));
    await node.store.records.setVisibility(hashes[0] ?? '', 'hidden');
    const files = await zipFiles(await downloaded(key));
    const parts = ['certificates/000001.ndjson', 'receipts/000001.ndjson'];
    const names = [...parts, 'coverage.json', 'keys.json', 'README.txt'];
    expect([...files.keys()]).toEqual([...names, 'manifest.json', 'manifest.sig']);

    const manifest = await manifestOf(files);
    expect(manifest).toMatchObject({ nodeId: TEST_NODE_ID, kid: TEST_SIGNER.kid, count: 4 });
    expect(manifest.entries).toEqual(
      names.map((name) => {
        const content = files.get(name) ?? Buffer.alloc(0);
        return { name, size: content.length, sha256: `sha256:${createHash('sha256').update(content).digest('hex')}` };
      }),
    );
    const receipts = linesOf(files.get('receipts/000001.ndjson'));
    expect(receipts.map(({ certificateHash, status }) => [certificateHash, status])).toEqual(
      hashes.map((hash, place) => [hash, place === 0 ? 'hidden' : 'visible']),
    );
    expect([manifest.firstCursor, manifest.lastCursor]).toEqual([receipts[0]?.['cursor'], receipts[3]?.['cursor']]);
    const certificates = linesOf(files.get('certificates/000001.ndjson'));
    expect(at(certificates[1], 'meta', 'metadata', 'canary')).toBe(1);
    for (const [place, certificate] of certificates.entries()) {
      const evaluation = await evaluateCer(certificate, { keySet, verifiedAt: '2030-01-01T00:00:00.000Z' });
      expect([evaluation.status, evaluation.receipt.status]).toEqual(['VERIFIED', 'PASS']);
      const { certificateHash, resealedCertificateHash } = receipts[place] ?? {};
      expect(evaluation.certificateHash).toBe(resealedCertificateHash ?? certificateHash);
    }
    expect(files.get('README.txt')?.toString()).toContain('4 certified execution records');
  });

  it('applies the filters and lists them in the manifest', async () => {
    const key = await node.newKey();
    const wanted = await certified(key, { appId: 'wanted' });
    await certified(key, { appId: 'other' });
    const files = await zipFiles(await downloaded(key, '?app_id=wanted&attested_from=2020-01-01'));
    expect(linesOf(files.get('receipts/000001.ndjson')).map(({ certificateHash }) => certificateHash)).toEqual([
      wanted,
    ]);
    expect((await manifestOf(files)).query).toEqual({
      appId: 'wanted',
      attestedFrom: '2020-01-01T00:00:00.000Z',
      attestedTo: null,
      bundleType: null,
      status: null,
    });
  });

  it('compresses no part beyond the zip bomb limit', async () => {
    const key = await node.newKey();
    const flat = { context: { signals: [], flat: 'a'.repeat(200_000) } };
    const small = { context: { signals: [], flat: 'a'.repeat(12_000) } };
    const hashes: string[] = [];
    for (const members of [small, ...Array.from({ length: 8 }, () => flat), small, {}]) {
      hashes.push(await certified(key, members));
    }
    const zip = await downloaded(key);
    const sizes = await zipSizes(zip);
    for (const { size, compressed } of sizes) expect(size).toBeLessThan(100 * compressed);
    const files = await zipFiles(zip);
    const receipts = ['000001', '000002'].flatMap((part) => linesOf(files.get(`receipts/${part}.ndjson`)));
    expect(receipts.map(({ certificateHash }) => certificateHash)).toEqual(hashes);
    expect(await manifestOf(files)).toMatchObject({ count: hashes.length });
    // Other lines are compressed as usual.
    const [first] = sizes;
    expect(first).toMatchObject({ name: 'certificates/000001.ndjson' });
    expect(Number(first?.compressed)).toBeLessThan(Number(first?.size) / 3);
  });

  it('exports a signed empty package without records', async () => {
    const files = await zipFiles(await downloaded(await node.newKey()));
    expect([...files.keys()]).toEqual(['coverage.json', 'keys.json', 'README.txt', 'manifest.json', 'manifest.sig']);
    expect(await manifestOf(files)).toMatchObject({ count: 0, firstCursor: null, lastCursor: null });
  });

  it('leaves out coverage that no verifier would read', async () => {
    const key = await node.newKey('much coverage');
    const { tenantId } = await node.store.tenants.createTenant('much coverage');
    // 70,000 applications with long names: more than 64 MiB.
    await node.database.query(`insert into coverage_counts (tenant_id, day, app_id, outcome, count)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 70000)
      select '${tenantId}', '2026-05-01', '${'a'.repeat(1000)}' || n, 'certified', 1 from numbers`);
    const [all, oneDay] = [await downloaded(key), await downloaded(key, '?attested_from=2026-05-02')];
    const rest = ['keys.json', 'README.txt', 'manifest.json', 'manifest.sig'];
    expect([...(await zipFiles(all)).keys()]).toEqual(rest);
    expect([...(await zipFiles(oneDay)).keys()]).toEqual(['coverage.json', ...rest]);
  });

  it('omits records added or deleted during the export', async () => {
    const tenant = randomUUID();
    const key = await tenantWithMuch(node, tenant);
    const { tenantId } = await node.store.tenants.createTenant(tenant);
    const response = await socket.asksForPackage(key);
    const last = (await node.store.recordList.page({ tenantId }, 'newest', null, 1))[0]?.certificateHash ?? '';
    const late = newRecord({ tenantId, attestedAt: '2026-01-02T03:04:05.679Z' });
    await node.store.records.recordOnce(late);
    await node.store.records.setVisibility(last, 'deleted');
    const files = await zipFiles(await contentOf(response));
    const hashes = [...files]
      .filter(([name]) => name.startsWith('receipts/'))
      .flatMap(([, file]) => linesOf(file).map(({ certificateHash }) => certificateHash));
    expect(hashes).toHaveLength(399);
    expect(hashes).not.toContain(last);
    expect(hashes).not.toContain(late.certificateHash);
    expect((await manifestOf(files)).count).toBe(399);
  });

  it('limits concurrent exports and frees slots on disconnect', async () => {
    const key = await tenantWithMuch(node, randomUUID());
    // Neither is read, so both responses stay pending.
    const stalled = [await socket.asksForPackage(key), await socket.asksForPackage(key)];
    const refused = await socket.asksForPackage(key);
    const { error } = JSON.parse((await contentOf(refused)).toString()) as { error: string };
    expect([refused.statusCode, error, refused.headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '30']);
    for (const response of stalled) response.destroy();
    const headStatus = async (): Promise<number | undefined> => {
      const head = await socket.asksForPackage(key, 'HEAD');
      head.resume();
      return head.statusCode;
    };
    let status = await headStatus();
    while (status === 503) {
      await sleep(10);
      status = await headStatus();
    }
    expect(status).toBe(200);
    // A HEAD request takes no slot.
    for (let time = 0; time < 3; time += 1) expect(await headStatus()).toBe(200);
    const whole = await contentOf(await socket.asksForPackage(key));
    expect((await manifestOf(await zipFiles(whole))).count).toBe(400);
  });

  it('aborts the response when a record is unreadable', async () => {
    const tenant = randomUUID();
    const key = await tenantWithMuch(node, tenant);
    const { tenantId } = await node.store.tenants.createTenant(tenant);
    await node.store.records.recordOnce(
      newRecord({ tenantId, attestedAt: '2026-01-02T03:04:06.000Z', metaJson: '[]' }),
    );
    const response = await asked(key);
    await expect(contentOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await ask(node, 'get', '/v1/records', { key })).status).toBe(200);
  });

  it('refuses unknown parameters and keys without the scope', async () => {
    const key = await node.newKey();
    expect((await ask(node, 'get', '/v1/records/export?cursor=x', { key })).status).toBe(400);
    const weak = await node.newKey(randomUUID(), ['render']);
    expect((await ask(node, 'get', '/v1/records/export', { key: weak })).status).toBe(403);
    expect((await ask(node, 'get', '/v1/records/export')).status).toBe(401);
  });
});
