import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { executionRequest } from '@cer/cer-core/testing';
import { certificates } from '@cer/client';

import { ask, at } from './ask.js';
import { dayWithTimeLeft } from './before-midnight.js';
import { sealedElsewhere } from './sealed-elsewhere.js';
import { startModelServer, type ModelServer } from './model-server.js';
import { startTestNode, type TestNode } from './test-node.js';

const today = (): string => new Date().toISOString().slice(0, 10);

let node: TestNode;
let models: ModelServer;

beforeAll(async () => {
  node = await startTestNode({ replace: () => ({ batchLimitBytes: 64 * 1024 }) });
  models = await startModelServer();
});
afterAll(async () => {
  models.close();
  await node.close();
});

const execution = (members: JsonObject = {}): JsonObject =>
  executionRequest({ executionId: randomUUID(), appId: 'desk', ...members });
const post = async (key: string, path: string, body: unknown, type = 'application/json'): Promise<void> => {
  await ask(node, 'post', path, { key, body, headers: { 'Content-Type': type } });
};
const read = async (key: string, query = ''): Promise<unknown> =>
  (await ask(node, 'get', `/v1/coverage${query}`, { key })).body;
const withoutInput = (): JsonObject =>
  Object.fromEntries(Object.entries(execution()).filter(([name]) => name !== 'input'));

describe('GET /v1/coverage', () => {
  beforeEach(dayWithTimeLeft);

  it('counts certificates and refusals by day, application and code', async () => {
    const key = await node.newKey();
    const first = execution({ executionId: 'first' });
    await post(key, '/v1/cer/ai/certify', first);
    await post(key, '/v1/cer/ai/certify', first);
    await post(key, '/v1/cer/ai/certify', { ...first, model: 'another' });
    await post(key, '/v1/cer/ai/certify', withoutInput());
    await post(key, '/v1/cer/ai/certify', '{');
    const lines = [execution(), withoutInput(), execution({ appId: 'unknown', model: 7 })];
    await post(
      ...([key, '/v1/cer/ai/certify-batch', lines.map((line) => JSON.stringify(line)).join('\n')] as const),
      'application/x-ndjson',
    );
    await post(key, '/api/attest', {
      ...sealedElsewhere({ snapshot: { appId: 'desk' } }),
      certificateHash: `sha256:${'0'.repeat(64)}`,
    });
    await post(key, '/v1/cer/ai/create', withoutInput());
    const day = today();
    expect(await read(key)).toMatchObject({
      ok: true,
      to: day,
      isCounted: true,
      days: [
        { day, appId: null, certified: 0, reports: 0, refused: 2, refusals: { VALIDATION_ERROR: 2 }, reported: null },
        {
          ...{ day, appId: 'desk', certified: 2, reports: 0, refused: 4, reported: null },
          refusals: { EXECUTION_MUTATION_DETECTED: 1, INVALID_BUNDLE: 1, VALIDATION_ERROR: 2 },
        },
      ],
    });
    expect(at(await read(key, '?app_id=desk'), 'days', 0, 'appId')).toBe('desk');
    expect(at(await read(key, '?from=2026-01-01&to=2026-01-31'), 'days')).toEqual([]);
    expect(at(await read(await node.newKey()), 'days')).toEqual([]);
    const rows = JSON.stringify(await node.database.query('select * from coverage_counts'));
    expect(rows).toContain('VALIDATION_ERROR');
    expect(rows).not.toContain('unknown');
  });

  it('sums the counts of producers', async () => {
    const key = await node.newKey();
    const cer = certificates({
      ...{ appId: 'agent', nodeUrl: node.url, apiKey: key, spoolDir: null, coverage: {} },
      certify: ({ body }) => !JSON.stringify(body).includes('private'),
    });
    for (const content of ['one', 'two', 'private']) {
      await (
        await cer.fetch()(models.completions, { method: 'POST', body: JSON.stringify({ model: 'm', content }) })
      ).text();
    }
    await cer.close();
    expect(at(await read(key), 'days')).toMatchObject([
      {
        ...{ appId: 'agent', certified: 2, reports: 1, refused: 0 },
        reported: { clients: 1, unclosed: 0, seen: 3, sealed: 2, skipped: 1, dropped: 0, dead: 0, waiting: 0 },
      },
    ]);
    const forged = execution({ appId: 'agent', provider: '@cer/client', model: 'coverage' });
    await post(key, '/v1/cer/ai/certify', {
      ...forged,
      signals: [{ type: 'coverage', source: '@cer/client', payload: {} }],
    });
    expect(at(await read(key), 'days', 0)).toMatchObject({ reports: 2, reported: { clients: 1, seen: 3 } });
  });

  it('refuses days with too many counts, but not one application of them', async () => {
    const key = await node.newKey('many applications');
    const { tenantId } = await node.store.tenants.createTenant('many applications');
    await node.database.query(`insert into coverage_counts (tenant_id, day, app_id, outcome, count)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n <= 100000)
      select '${tenantId}', case when n <= 1000 then '2026-05-01' else '2026-05-02' end, 'app-' || n, 'certified', 1
      from numbers`);
    const days = '/v1/coverage?from=2026-05-01&to=2026-05-02';
    const { status, body } = await ask(node, 'get', days, { key });
    expect([status, at(body, 'details')]).toEqual([
      400,
      ['from: the days must have at most 100000 counts: ask for fewer days, or for one app_id'],
    ]);
    const [day, one] = [
      await read(key, '?from=2026-05-01&to=2026-05-01'),
      await read(key, `${days.slice(12)}&app_id=app-7`),
    ];
    expect(at(day, 'days')).toHaveLength(1000);
    expect(at(one, 'days')).toMatchObject([{ day: '2026-05-01', appId: 'app-7', certified: 1 }]);
  });

  it('keeps the counts of deleted certificates', async () => {
    const key = await node.newKey();
    const certified = await ask(node, 'post', '/v1/cer/ai/certify', { key, body: execution() });
    await read(key);
    await node.store.records.setVisibility(String(at(certified.body, 'certificateHash')), 'deleted');
    expect(at(await read(key), 'days')).toMatchObject([{ appId: 'desk', certified: 1 }]);
  });

  it.each([
    ['?from=2026-02-30', 'from: must be a day such as 2026-01-31'],
    ['?from=2026-02-02&to=2026-02-01', 'to: must not be before from'],
    ['?from=2024-01-01&to=2026-01-01', 'from: must be at most 399 days before to'],
    ['?day=2026-01-01', 'query: must have only app_id, from, to'],
  ])('refuses %s', async (query, detail) => {
    expect(await read(await node.newKey(), query)).toMatchObject({ error: 'VALIDATION_ERROR', details: [detail] });
  });
});
