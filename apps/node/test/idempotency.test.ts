import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { CONFIDENTIAL_MEMBERS, executionRequest, sealed } from '@cer/cer-core/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, at, objectAt, textAt, type Answer } from './ask.js';
import { startTestNode, testSecrets, type TestNode } from './test-node.js';

const CERTIFY = '/v1/cer/ai/certify';

/** The headers that a replay repeats. */
function lasting({ headers }: Answer): unknown[] {
  return Object.entries(headers).filter(([name]) => !['x-request-id', 'x-idempotent-replay', 'date'].includes(name));
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('idempotency on %s', (_name, makeDatabase: () => Promise<TestDatabase>) => {
  let database: TestDatabase;
  let node: TestNode;
  let key: string;

  beforeAll(async () => {
    database = await makeDatabase();
    node = await startTestNode({ database });
    key = await node.newKey();
  });
  afterAll(async () => {
    await node.close();
    await database.remove();
  });

  const certify = (body: unknown, as = key, where = node): Promise<Answer> =>
    ask(where, 'post', CERTIFY, { key: as, body });
  const request = (members: JsonObject = {}): JsonObject => executionRequest({ executionId: randomUUID(), ...members });

  it.each<[string, JsonObject]>([
    ['plain', {}],
    [
      'with metadata, context and odd parameters',
      { metadata: { b: 1, a: 2 }, signals: [], parameters: { '10': 1, '9': -0, x: 'é\u2028\u0000' } },
    ],
    ['confidential', CONFIDENTIAL_MEMBERS],
    ['v2', { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'unspecified' }],
  ])('replays identical bytes: %s', async (_case, members) => {
    const sent = request(members);
    const first = await certify(sent);
    const second = await certify(sent);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect(second.headers['x-idempotent-replay']).toBe('true');
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(lasting(second)).toEqual(lasting(first));
  });

  it('replays requests with default or stored times', async () => {
    const { createdAt, ...sent } = request(CONFIDENTIAL_MEMBERS);
    expect(createdAt).toBeDefined();
    const first = await certify(sent);
    const stated = {
      createdAt: at(first.body, 'createdAt'),
      timestamp: at(first.body, 'cer', 'snapshot', 'timestamp'),
    };
    for (const again of [sent, { ...sent, ...stated }, { ...sent, createdAt: stated.createdAt }]) {
      expect((await certify(again)).text).toBe(first.text);
    }
    expect((await certify({ ...sent, createdAt: '2020-01-01T00:00:00Z' })).status).toBe(409);
  });

  it('keeps the unhashed metadata of the first request', async () => {
    const sent = request();
    const first = await certify({ ...sent, metadata: { ticket: 1 } });
    expect((await certify({ ...sent, metadata: { ticket: 2 } })).text).toBe(first.text);
    expect((await certify(sent)).text).toBe(first.text);
  });

  it('refuses other content for a known id', async () => {
    const sent = request({ input: 'canary one' });
    await certify(sent);
    for (const change of [{ input: 'canary two' }, { model: 'm2' }, { signals: [] }, { protocolVersion: '1.3.0' }]) {
      const { status, body, text } = await certify({ ...sent, ...change });
      expect([status, at(body, 'error')]).toEqual([409, 'EXECUTION_MUTATION_DETECTED']);
      expect(Object.keys(objectAt(body))).toEqual(['error', 'message', 'requestId']);
      expect(text).not.toContain('canary');
    }
  });

  it('replays openings after a secret rotation', async () => {
    const sent = request(CONFIDENTIAL_MEMBERS);
    const first = await certify(sent);
    const preview = request(CONFIDENTIAL_MEMBERS);
    const created = await ask(node, 'post', '/v1/cer/ai/create', { key, body: preview });
    await ask(node, 'post', '/api/attest', { key, body: created.body });

    const rotated = await startTestNode({
      database,
      replace: () => ({ secrets: testSecrets('secret-of-later', 'secret-1') }),
    });
    try {
      expect((await certify(sent, key, rotated)).text).toBe(first.text);
      expect((await certify({ ...sent, output: 'other' }, key, rotated)).status).toBe(409);
      const fresh = await certify(request(CONFIDENTIAL_MEMBERS), key, rotated);
      expect(at(fresh.body, 'openings')).not.toEqual(at(first.body, 'openings'));
      const attested = await certify(preview, key, rotated);
      expect([attested.status, attested.headers['x-idempotent-replay']]).toEqual([200, 'true']);
      const referenced = await rotated.store.referencedCommitmentSecretIds();
      expect(referenced.toSorted()).toEqual(['secret-1', 'secret-of-later']);
    } finally {
      await rotated.close();
    }
  });

  it('scopes ids and records to the tenant', async () => {
    const other = await node.newKey();
    const sent = request();
    const [mine, theirs] = [await certify(sent), await certify(sent, other)];
    expect(theirs.headers['x-idempotent-replay']).toBeUndefined();
    expect(at(theirs.body, 'certificateHash')).toBe(at(mine.body, 'certificateHash'));
    expect(at(theirs.body, 'attestationId')).not.toBe(at(mine.body, 'attestationId'));
    expect((await certify({ ...sent, output: 'other' }, other)).status).toBe(409);
    const sameId = await certify({ ...sent, output: 'other' }, await node.newKey());
    expect(sameId.status).toBe(200);
    expect((await certify(sent)).text).toBe(mine.text);
  });

  it('uses different salts for different tenants', async () => {
    const sent = request(CONFIDENTIAL_MEMBERS);
    const [mine, theirs] = [await certify(sent), await certify(sent, await node.newKey())];
    expect(at(theirs.body, 'openings')).not.toEqual(at(mine.body, 'openings'));
    expect(at(theirs.body, 'certificateHash')).not.toBe(at(mine.body, 'certificateHash'));
  });

  it.each([
    ['certify', {}],
    ['a confidential certify', CONFIDENTIAL_MEMBERS],
  ])('makes one certificate from 64 parallel requests: %s', async (_case, members: JsonObject) => {
    const sent = request(members);
    const answers = await Promise.all(Array.from({ length: 64 }, () => certify(sent)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['x-idempotent-replay'] === undefined)).toHaveLength(1);
  });

  it('accepts one of two competing contents', async () => {
    const sent = request();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_item, index) => certify({ ...sent, output: `content ${index % 2}` })),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(32);
    expect(new Set(winners.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(32);
  });

  it('accepts one of competing certify and attest requests', async () => {
    const sent = request();
    const { bundle } = sealed(sent);
    const mutant = sealed({ ...sent, output: 'other' }).bundle;
    const answers = await Promise.all(
      Array.from({ length: 63 }, (_item, index) =>
        index % 3 === 0
          ? certify(sent)
          : ask(node, 'post', '/api/attest', { key, body: index % 3 === 1 ? bundle : mutant }),
      ),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(new Set(winners.map(({ text }) => text)).size).toBe(1);
    expect([42, 21]).toContain(winners.length);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(63 - winners.length);
    const rows = await database.query(
      `select certificate_hash from records where execution_id = '${textAt(sent, 'executionId')}'`,
    );
    expect(rows).toEqual([{ certificate_hash: at(winners[0]?.body, 'certificateHash') }]);
  });

  it('answers 409 for deleted and replays hidden records', async () => {
    const sent = request();
    const first = await certify(sent);
    const hash = textAt(first.body, 'certificateHash');
    await node.store.records.setVisibility(hash, 'hidden');
    expect((await certify(sent)).text).toBe(first.text);
    await node.store.records.setVisibility(hash, 'deleted');
    const { meta, ...bundle } = objectAt(first.body, 'cer');
    expect(meta).toBeDefined();
    for (const answer of [await certify(sent), await ask(node, 'post', '/api/attest', { key, body: bundle })]) {
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual({
        error: 'RECORD_REMOVED',
        message: expect.stringMatching(/^record removed: /),
        requestId: answer.headers['x-request-id'],
      });
    }
    const other = await certify({ ...sent, output: 'other' });
    expect(other.status).toBe(409);
    expect(at(other.body, 'error')).toBe('EXECUTION_MUTATION_DETECTED');
  });
});
