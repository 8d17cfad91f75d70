import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { startRecordCounts } from '../src/metrics/record-counts.js';
import { nodeMetrics } from '../src/metrics/node-metrics.js';
import { startNode } from '../src/start/start-node.js';
import { countRange } from '../src/store/sql/record-counts.js';
import type { Counted } from '../src/store/index.js';
import { ask } from './ask.js';
import { newRecord } from './store/new-record.js';
import { startTestNode, type TestNode } from './test-node.js';

const PATIENCE_MS = 60_000;

let node: TestNode;

/** One sample of /metrics; undefined if missing. */
async function sample(node: { readonly url: string }, name: string): Promise<number | undefined> {
  const { text } = await ask(node, 'get', '/metrics');
  const line = text.split('\n').find((found) => found.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

async function untilSample(node: { readonly url: string }, name: string, value: number): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while ((await sample(node, name)) !== value && performance.now() < until) await sleep(20);
  expect([name, await sample(node, name)]).toEqual([name, value]);
}

describe('GET /metrics', () => {
  beforeEach(async () => {
    node = await startTestNode({ replace: () => ({ rateLimits: { addressRequestsPerMinute: 1 } }) });
  });
  afterEach(() => node.close());

  it('reports latency, batch sizes, queues and rate limits', async () => {
    const key = await node.newKey();
    const hash = `sha256:${'0'.repeat(64)}`;
    await ask(node, 'post', '/v1/cer/ai/certify', { key, body: executionRequest() });
    for (let request = 0; request < 2; request += 1) await ask(node, 'get', `/v1/resolve/cer/${hash}`);
    const lines = [1, 2, 3].map(() => JSON.stringify(executionRequest({ executionId: randomUUID() })));
    await ask(node, 'post', '/v1/cer/ai/certify-batch', {
      key,
      body: lines.join('\n'),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const latency = (route: string, method: string, status: string): Promise<number | undefined> =>
      sample(node, `http_request_duration_seconds_count{route="${route}",method="${method}",status="${status}"}`);
    expect(await latency('/v1/cer/ai/certify', 'POST', '2xx')).toBe(1);
    expect(await latency('/v1/resolve/cer/:hash', 'GET', '3xx')).toBe(1);
    expect(await latency('/v1/resolve/cer/:hash', 'GET', '4xx')).toBe(1);
    expect(await sample(node, 'http_requests_limited_total{route="/v1/resolve/cer/:hash",method="GET"}')).toBe(1);
    expect([await sample(node, 'cer_batch_lines_count'), await sample(node, 'cer_batch_lines_sum')]).toEqual([1, 3]);
    expect([await sample(node, 'cer_commits_pending'), await sample(node, 'cer_verifications_pending')]).toEqual([
      0, 0,
    ]);
    const { text } = await ask(node, 'get', '/metrics');
    expect(text).not.toContain(hash);
    expect(text).not.toContain(key.slice(0, 12));
  });
});

describe('a started node', () => {
  it('counts from start and applies configured limits', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-metrics-'));
    const running = await startNode({
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
      KEYS_FILE: join(folder, 'keys.json'),
      COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
      LOG_LEVEL: 'silent',
      RATE_LIMIT_IP_PER_MINUTE: '2',
      VERIFY_BYTES_AT_ONCE: '100',
      TRUST_PROXY: '127.0.0.1',
      LIMITS_EXEMPT_ADDRESSES: '192.0.2.0/24',
    });
    try {
      await untilSample(running, 'cer_signer_up', 1);
      await untilSample(running, 'cer_records{state="visible"}', 0);
      await untilSample(running, 'cer_records_unstamped', 0);
      const lookUp = async (address: string): Promise<number> =>
        (await ask(running, 'get', '/v1/resolve/cer/x', { headers: { 'X-Forwarded-For': address } })).status;
      const counted = [await lookUp('198.51.100.1'), await lookUp('198.51.100.1'), await lookUp('198.51.100.1')];
      expect(counted).toEqual([400, 400, 429]);
      const exempt = [await lookUp('192.0.2.1'), await lookUp('192.0.2.1'), await lookUp('192.0.2.1')];
      expect(exempt).toEqual([400, 400, 400]);
    } finally {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe.each<[string, () => Promise<TestDatabase>]>([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('the record counts on %s', (name, make) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await make();
    node = await startTestNode({ database });
  });
  afterEach(async () => {
    await node.close();
    await database.remove();
  });

  it('counts records by state and checks the signer', async () => {
    const { records } = node.store;
    const made = Array.from({ length: 1203 }, () => newRecord());
    await Promise.all(made.map((record) => records.recordOnce(record)));
    const [hidden, deleted] = made;
    await records.setVisibility(hidden?.certificateHash ?? '', 'hidden');
    let signs = true;
    const recordCounts = startRecordCounts({
      store: node.store,
      signing: { prove: () => (signs ? Promise.resolve() : Promise.reject(new Error('away'))) },
      metrics: nodeMetrics(node.deps.metrics),
      asksAuthorities: true,
      now: () => new Date(),
      logger: node.deps.logger,
      everyMs: 10,
    });
    await untilSample(node, 'cer_records{state="visible"}', 1202);
    await untilSample(node, 'cer_records{state="hidden"}', 1);
    await untilSample(node, 'cer_records_unstamped', 1203);
    await untilSample(node, 'cer_signer_up', 1);
    await records.setVisibility(deleted?.certificateHash ?? '', 'deleted');
    await records.recordOnce(newRecord());
    signs = false;
    await untilSample(node, 'cer_records{state="deleted"}', 1);
    await untilSample(node, 'cer_records{state="visible"}', 1202);
    await untilSample(node, 'cer_records_unstamped', 1203);
    await untilSample(node, 'cer_signer_up', 0);
    await recordCounts.stop();
  });

  it('read indexes and never all records', async () => {
    const isSqlite = name === 'SQLite';
    const indexes: Readonly<Record<Counted, RegExp>> = {
      all: isSqlite ? /INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/ : /records_pkey/,
      hidden: /records_withdrawn/,
      deleted: /records_withdrawn/,
      untimestamped: /records_unstamped/,
    };
    for (const [what, index] of Object.entries(indexes) as [Counted, RegExp][]) {
      const statement = countRange(what).replace('$1', '5').replace('$2', '100');
      const plan = JSON.stringify(
        await database.query(isSqlite ? `explain query plan ${statement}` : `explain ${statement}`),
      );
      if (isSqlite || what !== 'all') expect([what, plan]).toEqual([what, expect.stringMatching(index)]);
      expect(plan).not.toMatch(/SCAN records\b(?! USING)|Seq Scan/);
    }
  });
});
