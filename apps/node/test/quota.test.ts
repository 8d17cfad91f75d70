import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import { executionRequest, sealed } from '@cer/cer-core/testing';
import type { JsonObject } from '@cer/canonical-json';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { createQuota } from '../src/limits/quota.js';
import { QuotaBlock } from '../src/limits/quota-block.js';
import { ask, at, type Answer } from './ask.js';
import { lostAnswers, RECORDS } from './store/lost-answers.js';
import { startTestNode, type TestNode, type TestNodeOptions } from './test-node.js';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function databaseOf(make: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await make();
  cleanups.push(database.remove);
  return database;
}

/** Far from the end of the month, when the quota restarts. */
const IN_A_MONTH = new Date('2026-01-15T12:00:00.000Z');

/** A node whose tenants all have a plan with this many executions per month. */
async function nodeOn(
  database: TestDatabase,
  executionsPerMonth: number,
  now = (): Date => IN_A_MONTH,
  options: TestNodeOptions = {},
): Promise<TestNode> {
  const node = await startTestNode({
    ...options,
    database,
    replace: ({ keys, store, logger }) => ({
      now,
      quota: createQuota({ quotas: store.quotas, now, logger }),
      keys: {
        find: async (hash) => {
          const caller = await keys.find(hash);
          return caller === null ? null : { ...caller, limits: { requestsPerMinute: null, executionsPerMonth } };
        },
      },
    }),
  });
  cleanups.push(node.close);
  return node;
}

const fresh = (members: JsonObject = {}): JsonObject => executionRequest({ executionId: randomUUID(), ...members });
const certify = (node: TestNode, key: string, body: unknown = fresh()): Promise<Answer> =>
  ask(node, 'post', '/v1/cer/ai/certify', { key, body });
const attest = (node: TestNode, key: string, body: unknown): Promise<Answer> =>
  ask(node, 'post', '/api/attest', { key, body });
const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
const many = (times: number, work: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, (_item, index) => work(index)));

async function used(database: TestDatabase): Promise<number[]> {
  const rows = await database.query('select used from quota_months order by month');
  return rows.map((row) => Number(row['used']));
}

async function recorded(database: TestDatabase): Promise<number> {
  return (await database.query('select 1 as one from records')).length;
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('a monthly quota on %s', (_name, make) => {
  it('refuses new executions beyond it but replays known ones', async () => {
    const database = await databaseOf(make);
    const node = await nodeOn(database, 2, () => new Date('2026-01-31T23:00:00.000Z'));
    const key = await node.newKey();
    const known = fresh();
    const first = await certify(node, key, known);
    // A replay is free.
    expect((await certify(node, key, known)).text).toBe(first.text);
    expect((await certify(node, key)).status).toBe(200);

    const refused = await certify(node, key);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: 'QUOTA_EXCEEDED',
      message: 'the executions of this month are used up',
      requestId: refused.headers['x-request-id'],
    });
    expect(refused.headers).toMatchObject({
      'retry-after': '3600',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '3600',
    });
    const replay = await certify(node, key, known);
    expect([replay.status, replay.headers['x-idempotent-replay'], replay.text]).toEqual([200, 'true', first.text]);
    expect((await certify(node, key, { ...known, output: 'other' })).status).toBe(409);
    expect((await certify(node, key, {})).status).toBe(400);
    // Refused requests stored nothing, and sealing alone is not counted.
    expect([await recorded(database), await used(database)]).toEqual([2, [2]]);
    expect((await ask(node, 'post', '/v1/cer/ai/create', { key, body: fresh() })).status).toBe(200);
    expect((await certify(node, await node.newKey())).status).toBe(200);
  });

  it('counts attested bundles and hashes once', async () => {
    const database = await databaseOf(make);
    const node = await nodeOn(database, 2);
    const key = await node.newKey();
    const { bundle } = sealed(fresh());
    const bare = {
      bundleType: 'hash-only-timestamp',
      version: '0.1',
      createdAt: null,
      snapshot: null,
      certificateHash: `sha256:${'a'.repeat(64)}`,
    };
    for (let round = 0; round < 2; round += 1) {
      expect((await attest(node, key, bundle)).status).toBe(200);
      expect((await attest(node, key, bare)).status).toBe(200);
    }
    for (const other of [sealed(fresh()).bundle, { ...bare, certificateHash: `sha256:${'b'.repeat(64)}` }]) {
      const refused = await attest(node, key, other);
      expect([refused.status, at(refused.body, 'error')]).toEqual([429, 'QUOTA_EXCEEDED']);
    }
    expect((await attest(node, key, bundle)).status).toBe(200);
    expect((await attest(node, key, bare)).status).toBe(200);
  });

  it('answers each line of a batch across it', async () => {
    const database = await databaseOf(make);
    const node = await nodeOn(database, 4);
    const key = await node.newKey();
    const known = fresh();
    await certify(node, key, known);
    const twice = fresh();
    const lines = [
      known,
      fresh(),
      twice,
      { broken: true },
      twice,
      fresh(),
      ...Array.from({ length: 6 }, () => fresh()),
      known,
    ];
    const { status, text } = await ask(node, 'post', '/v1/cer/ai/certify-batch', {
      key,
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const results = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect([status, results.length]).toEqual([200, lines.length]);
    const statuses = results.map((result) => at(result, 'status'));
    expect([0, 2, 3, 4, 12].map((index) => statuses[index])).toEqual([200, statuses[4], 400, statuses[2], 200]);
    const beyond = results.filter((result) => at(result, 'status') === 429);
    expect(new Set(beyond.map((result) => at(result, 'body', 'error')))).toEqual(new Set(['QUOTA_EXCEEDED']));
    expect([await recorded(database), await used(database)]).toEqual([4, [4]]);
  });

  it('admits exactly the limit under concurrency', async () => {
    const database = await databaseOf(make);
    const node = await nodeOn(database, 10);
    const key = await node.newKey();
    const answers = await many(64, () => certify(node, key));
    expect([count(answers, 200), count(answers, 429)]).toEqual([10, 54]);
    expect([await recorded(database), await used(database)]).toEqual([10, [10]]);
  });

  it('counts concurrent replays once', async () => {
    const database = await databaseOf(make);
    const node = await nodeOn(database, 1);
    const key = await node.newKey();
    const body = fresh();
    const answers = await many(32, () => certify(node, key, body));
    expect(count(answers, 200)).toBe(32);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await used(database)).toEqual([1]);
  });

  it('restarts monthly and returns unused blocks on stop', async () => {
    const database = await databaseOf(make);
    let clock = new Date('2026-01-31T23:59:59.000Z');
    const node = await nodeOn(database, 1000, () => clock);
    const key = await node.newKey();
    await many(5, () => certify(node, key));
    clock = new Date('2026-02-01T00:00:00.000Z');
    await many(3, () => certify(node, key));
    await node.deps.quota.close();
    expect(await used(database)).toEqual([5, 3]);
  });

  it('does not apply without a plan', async () => {
    const node = await startTestNode({ database: await databaseOf(make) });
    cleanups.push(node.close);
    expect((await certify(node, await node.newKey())).status).toBe(200);
    expect(await used(node.database)).toEqual([]);
  });
});

describe('the quota of two nodes on one PostgreSQL', () => {
  it('is shared', async () => {
    const database = await databaseOf(postgresTestDatabase);
    const nodes = [await nodeOn(database, 30), await nodeOn(database, 30)];
    const key = (await nodes[0]?.newKey()) ?? '';
    const answers = (await Promise.all(nodes.map((node) => many(40, () => certify(node, key))))).flat();
    expect(count(answers, 200) + count(answers, 429)).toBe(80);
    expect(count(answers, 200)).toBe(30);
    expect([await recorded(database), await used(database)]).toEqual([30, [30]]);
  });
});

describe('a quota after a lost answer of the database', () => {
  it.each([1, 2])('counts returned executions once: %s lost', async (times) => {
    const database = await databaseOf(sqliteTestDatabase);
    const { lose, replaceDatabase } = lostAnswers();
    const { store } = await nodeOn(database, 1000, undefined, { replaceDatabase });
    await store.quotas.take('tenant', '2026-01', 500, 1000);
    const block = new QuotaBlock(store.quotas, 'tenant', '2026-01', 1000);
    // The second take allocates more than it uses.
    await block.take();
    await block.take();
    lose('set used = used -', times);
    await block.giveBack().catch(() => undefined);
    // What a block still has, it gives back again.
    await block.giveBack().catch(() => undefined);
    expect(await used(database)).toEqual([502]);
  });

  it('counts a stored execution that was reported as failed', async () => {
    const database = await databaseOf(sqliteTestDatabase);
    const { lose, replaceDatabase } = lostAnswers();
    const node = await nodeOn(database, 2, undefined, { replaceDatabase });
    const key = await node.newKey();
    lose(RECORDS, 2);
    const lost = fresh();
    expect((await certify(node, key, lost)).status).toBe(500);
    const answers = [await certify(node, key), await certify(node, key)];
    expect([count(answers, 200), count(answers, 429)]).toEqual([1, 1]);
    expect((await certify(node, key, lost)).status).toBe(200);
    expect(await recorded(database)).toBe(2);
  });
});
