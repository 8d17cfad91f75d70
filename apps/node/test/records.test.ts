import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { formatCursor } from '@cer/cer-core/logs';
import { executionRequest } from '@cer/cer-core/testing';

import { ask, at, textAt, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

let node: TestNode;
let key: string;
let hashes: string[];

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey('owner', ['certify', 'render', 'register', 'ingest']);
  hashes = [];
  for (const [at, appId] of ['one', 'two', 'one', 'two', 'one'].entries()) {
    hashes.push(
      await certified({
        appId,
        executionId: `run-${at}`,
        provider: 'example',
        model: 'first',
        protocolVersion: '1.2.0',
      }),
    );
  }
  await node.store.records.setVisibility(hashes[1] ?? '', 'hidden');
  await node.store.records.setVisibility(hashes[3] ?? '', 'deleted');
  await certified({ appId: 'one' }, await node.newKey('somebody else'));
});
afterAll(() => node.close());

async function certified(members: JsonObject, as = key): Promise<string> {
  const body = executionRequest({ executionId: randomUUID(), ...members });
  const answer = await ask(node, 'post', '/v1/cer/ai/certify', { key: as, body });
  return textAt(answer.body, 'certificateHash');
}

const list = (query = '', as = key): Promise<Answer> => ask(node, 'get', `/v1/records${query}`, { key: as });

function placesOf(answer: Answer): number[] {
  expect(answer.status).toBe(200);
  const records = at(answer.body, 'records');
  if (!Array.isArray(records)) throw new Error('no records');
  return records.map((record) => hashes.indexOf(textAt(record, 'certificateHash')));
}

describe('GET /v1/records', () => {
  it('lists own records with hidden, without deleted ones', async () => {
    const answer = await list();
    expect(placesOf(answer)).toEqual([4, 2, 1, 0]);
    expect(at(answer.body, 'nextCursor')).toBeNull();
    expect(at(answer.body, 'records', 2)).toMatchObject({ certificateHash: hashes[1], status: 'hidden', appId: 'two' });
    expect(at(answer.body, 'records', 0)).toMatchObject({
      status: 'visible',
      kind: 'full',
      executionId: expect.any(String),
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('shows no content, no tenant and no key', async () => {
    expect(Object.keys(at(await list(), 'body', 'records', 0) ?? {}).toSorted()).toEqual([
      'appId',
      'attestationId',
      'attestedAt',
      'bundleType',
      'certificateHash',
      'cursor',
      'executionId',
      'firstAttestedAt',
      'kid',
      'kind',
      'model',
      'protocolVersion',
      'provider',
      'resealedCertificateHash',
      'status',
      'timestampedAt',
      'verificationUrl',
    ]);
  });

  it.each(['oldest', 'newest'])('returns consecutive pages, %s first', async (order) => {
    const found: number[] = [];
    for (let cursor: unknown = ''; cursor !== null;) {
      const answer = await list(
        `?order=${order}&limit=3${typeof cursor === 'string' && cursor !== '' ? `&cursor=${cursor}` : ''}`,
      );
      found.push(...placesOf(answer));
      cursor = at(answer.body, 'nextCursor');
    }
    expect(found).toEqual(order === 'oldest' ? [0, 1, 2, 4] : [4, 2, 1, 0]);
  });

  it.each([
    ['?app_id=one&order=oldest', [0, 2, 4]],
    ['?appId=two', [1]],
    ['?status=hidden', [1]],
    ['?status=visible', [4, 2, 0]],
    ['?bundle_type=cer.ai.execution.v2', []],
    ['?model=first&provider=example&order=oldest', [0, 1, 2, 4]],
    ['?model=other', []],
    ['?protocol_version=1.2.0&app_id=two', [1]],
    ['?timestamped=true', []],
    ['?log_proof=true', []],
    ['?execution_id=run-2', [2]],
    ['?executionId=run-2&model=other', []],
    [`?project_hash=sha256:${'0'.repeat(64)}`, []],
    ['?attested_from=2020-01-01&attested_to=2020-02-01T00:00:00%2B01:00', []],
    ['?attestedFrom=2020-01-01T00:00:00.000Z&limit=1', [4]],
  ])('filters by %s', async (query, places) => {
    expect(placesOf(await list(query))).toEqual(places);
  });

  it.each([
    ['?app=one', 'query: must have only'],
    ['?attested_from=2020-13-01', 'attested_from'],
    ['?attested_from=2020-01-01T00:00:00.0001Z', 'attested_from'],
    ['?attested_from=2020-02-01&attested_to=2020-01-01', 'attested_to: must be later'],
    ['?app_id=', 'app_id'],
    ['?app_id=one&appId=one', 'app_id: must be given once'],
    ['?bundle_type=other', 'bundle_type'],
    ['?status=deleted', 'status: must be visible or hidden'],
    ['?model=', 'model'],
    ['?provider=x&provider=x', 'provider: must be given once'],
    ['?protocol_version=9', 'protocol_version: must be a known protocol version'],
    ['?timestamped=false', 'timestamped: must be true'],
    ['?log_proof=1', 'log_proof: must be true'],
    ['?certificate_hash=abc', 'certificate_hash: must be sha256:'],
    ['?project_hash=SHA256:0', 'project_hash'],
    ['?order=random', 'order'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?limit=1e2', 'limit'],
    ['?cursor=x', 'cursor'],
    [`?cursor=${formatCursor({ certificateHash: `sha256:${'0'.repeat(64)}`, kind: 'full' })}`, 'cursor'],
  ])('refuses %s', async (query, fault) => {
    const answer = await list(query);
    expect([answer.status, at(answer.body, 'error')]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(at(answer.body, 'details'))).toContain(fault);
  });

  it("returns the tenant's certificate, also a hidden one", async () => {
    const ofHash = (hash: string, as = key): Promise<Answer> =>
      ask(node, 'get', `/v1/records/certificate?certificate_hash=${hash}`, { key: as });
    const answer = await ofHash(hashes[1] ?? '');
    expect([answer.status, at(answer.body, 'certificateHash')]).toEqual([200, hashes[1]]);
    expect(at(answer.body, 'meta', 'attestation')).toBeDefined();
    for (const hash of [hashes[3] ?? '', `sha256:${'0'.repeat(64)}`]) expect((await ofHash(hash)).status).toBe(404);
    expect((await ofHash(hashes[0] ?? '', await node.newKey('somebody else'))).status).toBe(404);
    expect((await ofHash('x')).status).toBe(400);
  });

  it('rejects a cursor of another tenant', async () => {
    const other = await node.newKey('somebody else');
    const cursor = textAt(await list('', other), 'body', 'records', 0, 'cursor');
    expect((await list(`?cursor=${cursor}`)).status).toBe(400);
  });

  it('requires the scope audit or certify', async () => {
    expect((await ask(node, 'get', '/v1/records')).status).toBe(401);
    expect((await list('', await node.newKey('owner', ['audit']))).status).toBe(200);
    const weak = await list('', await node.newKey('owner', ['render', 'register', 'ingest']));
    expect([weak.status, at(weak.body, 'error')]).toEqual([403, 'FORBIDDEN']);
    const body = executionRequest({ executionId: randomUUID() });
    const auditor = await node.newKey('owner', ['audit']);
    expect((await ask(node, 'post', '/v1/cer/ai/certify', { key: auditor, body })).status).toBe(403);
  });
});
