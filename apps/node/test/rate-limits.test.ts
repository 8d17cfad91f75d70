import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { parseTrustedProxies } from '@cer/http-service';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { generateApiKey, hashApiKey } from '@cer/control-plane';
import type { KeyDirectory } from '../src/auth/key-directory.js';
import type { RateLimitSettings } from '../src/auth/rate-limits.js';
import { ask, at, type Answer } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

const CERTIFY = '/v1/cer/ai/certify';
const HASH_QUERY = `/v1/cer/public?certificate_hash=sha256%3A${'0'.repeat(64)}`;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function databaseOf(make: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await make();
  cleanups.push(database.remove);
  return database;
}

async function nodeOn(
  database: TestDatabase,
  rateLimits: RateLimitSettings,
  keys?: (own: KeyDirectory) => KeyDirectory,
): Promise<TestNode> {
  const trustedProxies = parseTrustedProxies('127.0.0.1');
  const node = await startTestNode({
    database,
    replace: (deps) => ({ rateLimits, trustedProxies, ...(keys !== undefined && { keys: keys(deps.keys) }) }),
  });
  cleanups.push(node.close);
  return node;
}

const certify = (node: TestNode, key: string, body: unknown = executionRequest()): Promise<Answer> =>
  ask(node, 'post', CERTIFY, { key, body });
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const shown = ({ headers }: Answer): (string | undefined)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'retry-after'].map((name) => headers[name]);

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('rate limits on %s', (_name, make) => {
  it('are off by default', async () => {
    const node = await nodeOn(await databaseOf(make), {});
    const answer = await certify(node, await node.newKey());
    expect([answer.status, ...shown(answer)]).toEqual([200, undefined, undefined, undefined]);
    expect(await node.database.query('select * from rate_limits')).toEqual([]);
  });

  it('refuse a key over its limit before reading the body', async () => {
    const node = await nodeOn(await databaseOf(make), { keyRequestsPerMinute: 3 });
    const [key, neighbour] = [await node.newKey('one'), await node.newKey('one')];
    const first = await certify(node, key);
    expect([first.status, ...shown(first)]).toEqual([200, '3', '2', undefined]);
    expect(Number(first.headers['ratelimit-reset'])).toBeGreaterThan(0);
    // Errors of the handler have rate limit headers too.
    const faulty = await certify(node, key, {});
    expect([faulty.status, ...shown(faulty)]).toEqual([400, '3', '1', undefined]);
    expect((await certify(node, key)).status).toBe(200);

    const refused = await ask(node, 'post', CERTIFY, { key, body: 'x'.repeat(300_000) });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: 'RATE_LIMITED',
      message: 'too many requests with this API key: wait',
      requestId: refused.headers['x-request-id'],
    });
    expect(shown(refused)).toEqual(['3', '0', refused.headers['ratelimit-reset']]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await certify(node, neighbour)).status).toBe(200);
    // Unauthorized callers get their error and spend nothing.
    expect((await certify(node, generateApiKey())).status).toBe(401);
    expect((await certify(node, await node.newKey('one', ['render']))).status).toBe(403);
  });

  it('apply the plan to all keys of an account', async () => {
    const node = await nodeOn(await databaseOf(make), { keyRequestsPerMinute: 2 }, (own) => ({
      find: async (hash) => {
        const caller = await own.find(hash);
        return caller === null ? null : { ...caller, limits: { requestsPerMinute: 3, executionsPerMonth: null } };
      },
    }));
    const [key, other] = [await node.newKey('account'), await node.newKey('account')];
    expect(shown(await certify(node, key))).toEqual(['2', '1', undefined]);
    expect(shown(await certify(node, other))).toEqual(['3', '1', undefined]);
    expect(shown(await certify(node, other))).toEqual(['3', '0', undefined]);
    expect((await certify(node, key)).status).toBe(429);
    expect((await certify(node, await node.newKey('another account'))).status).toBe(200);
  });

  it('count clients without a valid key by address', async () => {
    const exemptAddresses = parseTrustedProxies('192.0.2.9');
    const node = await nodeOn(await databaseOf(make), { addressRequestsPerMinute: 3, exemptAddresses });
    const from = (address: string, key?: string): Promise<Answer> =>
      ask(node, key === undefined ? 'get' : 'post', key === undefined ? HASH_QUERY : CERTIFY, {
        ...(key !== undefined && { key, body: executionRequest() }),
        headers: { 'X-Forwarded-For': address },
      });
    expect(shown(await from('192.0.2.1'))).toEqual(['3', '2', undefined]);
    const unknown = await from('192.0.2.1', generateApiKey());
    expect([unknown.status, ...shown(unknown)]).toEqual([401, '3', '1', undefined]);
    expect(unknown.headers['www-authenticate']).toBe('Bearer');
    expect((await from('192.0.2.1', 'malformed')).status).toBe(401);
    expect((await from('192.0.2.1', generateApiKey())).status).toBe(429);
    const refused = await from('192.0.2.1');
    expect([refused.status, at(refused.body, 'error')]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers['access-control-allow-origin']).toBe('*');
    // A valid key is not limited by other clients of its address.
    expect((await from('192.0.2.1', await node.newKey())).status).toBe(200);
    expect((await from('192.0.2.2')).status).toBe(404);
    for (let request = 0; request < 5; request += 1) expect((await from('192.0.2.9')).status).toBe(404);
    // An IPv6 client controls a whole /64.
    for (const host of ['1', '2', '3']) expect((await from(`2001:db8::${host}`)).status).toBe(404);
    expect((await from('2001:db8::4')).status).toBe(429);
    expect((await ask(node, 'get', '/health', { headers: { 'X-Forwarded-For': '192.0.2.1' } })).status).toBe(200);
  });

  it('count a batch once', async () => {
    const node = await nodeOn(await databaseOf(make), { keyRequestsPerMinute: 2 });
    const key = await node.newKey();
    const lines = Array.from({ length: 20 }, () => JSON.stringify(executionRequest({ executionId: randomUUID() })));
    const batch = await ask(node, 'post', '/v1/cer/ai/certify-batch', {
      key,
      body: lines.join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    expect([batch.status, batch.text.split('"status":200').length - 1]).toEqual([200, 20]);
    expect(shown(batch)).toEqual(['2', '1', undefined]);
  });
});

describe('rate limits of two nodes on one PostgreSQL', () => {
  it('are shared', async () => {
    const database = await databaseOf(postgresTestDatabase);
    const nodes = [
      await nodeOn(database, { keyRequestsPerMinute: 40 }),
      await nodeOn(database, { keyRequestsPerMinute: 40 }),
    ];
    const key = (await nodes[0]?.newKey()) ?? '';
    const answers: Answer[] = [];
    for (let round = 0; round < 10; round += 1) {
      answers.push(...(await Promise.all([...nodes, ...nodes, ...nodes].map((node) => certify(node, key)))));
    }
    const allowed = statuses(answers).filter((status) => status === 200);
    expect(statuses(answers).filter((status) => status === 429)).toHaveLength(60 - allowed.length);
    expect(allowed).toHaveLength(40);
    const [row] = await database.query('select key, points from rate_limits');
    expect(row?.['key']).toMatch(/^key:/);
    expect(JSON.stringify(row)).not.toContain(hashApiKey(key));
  });

  it('are local while the table is unavailable', async () => {
    const database = await databaseOf(postgresTestDatabase);
    const nodes = [
      await nodeOn(database, { keyRequestsPerMinute: 4 }),
      await nodeOn(database, { keyRequestsPerMinute: 4 }),
    ];
    const key = (await nodes[0]?.newKey()) ?? '';
    await database.query('alter table rate_limits rename to rate_limits_away');
    for (const node of nodes) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => certify(node, key)));
      expect(statuses(answers).toSorted()).toEqual([200, 200, 200, 200, 429, 429]);
    }
  });
});
