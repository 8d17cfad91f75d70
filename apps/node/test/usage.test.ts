import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { Secret } from '@cer/http-service/config';
import { silentLogger } from '@cer/http-service/process';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import Sqlite from 'better-sqlite3';

import { createAuditLog } from '../src/audit-log/audit-log.js';
import { controlPlaneDirectory } from '../src/auth/control-plane-directory.js';
import { createQuota } from '../src/limits/quota.js';
import { openStore, type Store } from '../src/store/index.js';
import { createSettingsMemory } from '../src/tenants/settings-memory.js';
import { startUsageReports, type UsageReportDeps } from '../src/usage-reports/report-usage.js';
import { ask, at, type Answer } from './ask.js';
import { SERVICE_TOKEN, startDashboardProcess, type Dashboard } from './dashboard-process.js';
import { newRecord } from './store/new-record.js';
import { startTestNode, type TestNode } from './test-node.js';

const PATIENCE_MS = 60_000;

/** Waits for effects of other processes or timers. */
async function eventually<T>(read: () => Promise<T> | T, isThere: (found: T) => boolean): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isThere(found) || performance.now() > until) return found;
    await sleep(20);
  }
}

interface Received {
  readonly reportId: string;
  readonly items: readonly { readonly tenantId: string; readonly kind: string; readonly count: number }[];
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('reports of usage from %s', (_name, make) => {
  let database: TestDatabase;
  let store: Store;
  let server: Server;
  let received: Received[];
  let status: number;
  let deps: UsageReportDeps;

  beforeEach(async () => {
    database = await make();
    store = await openStore({ databaseUrl: database.url, queueLimit: 10_000 });
    received = [];
    status = 200;
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        received.push(JSON.parse(text) as Received);
        response.writeHead(status).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    deps = {
      controlPlaneUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: new Secret('t'),
      usage: store.usage,
      leases: store.leases,
      logger: silentLogger(),
      everyMs: 10,
      settleMs: 0,
    };
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await store.close();
    await database.remove();
  });

  const record = (tenantId: string, bundleType = 'cer.ai.execution.v1'): Promise<unknown> =>
    store.records.recordOnce(newRecord({ tenantId, bundleType }));
  /** Each report once, as counted by the control plane. */
  const counted = (): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const { items } of new Map(received.map((report) => [report.reportId, report])).values()) {
      for (const { tenantId, kind, count } of items) {
        sums[`${tenantId} ${kind}`] = (sums[`${tenantId} ${kind}`] ?? 0) + count;
      }
    }
    return sums;
  };

  it('count every new record once by account and kind', async () => {
    await Promise.all([
      ...Array.from({ length: 30 }, () => record('a')),
      record('b'),
      record('b', 'cer.codemode.render.v1'),
    ]);
    const reports = startUsageReports(deps);
    expect(await eventually(counted, (sums) => sums['a certify'] === 30)).toEqual({
      'a certify': 30,
      'b certify': 1,
      'b render': 1,
    });
    await record('a');
    expect(await eventually(counted, (sums) => sums['a certify'] === 31)).toMatchObject({ 'a certify': 31 });
    await reports.stop();
    expect(received.every(({ reportId }) => /^[A-Za-z0-9_-]{8,64}$/.test(reportId))).toBe(true);
  });

  it('resend the same report until it is delivered', async () => {
    await record('a');
    status = 500;
    const reports = startUsageReports(deps);
    await eventually(
      () => received.length,
      (length) => length >= 2,
    );
    await reports.stop();
    await record('a');
    status = 200;
    const again = startUsageReports(deps);
    expect(await eventually(counted, (sums) => sums['a certify'] === 2)).toEqual({ 'a certify': 2 });
    await again.stop();
    const [first] = received;
    expect(received.filter(({ reportId }) => reportId === first?.reportId).length).toBeGreaterThan(2);
    for (const report of received) {
      if (report.reportId === first?.reportId) expect(report).toEqual(first);
    }
  });

  it('omit records that may be uncommitted', async () => {
    await record('a');
    let looks = 0;
    const usage: UsageReportDeps['usage'] = {
      newest: () => store.usage.newest(),
      next: (settled) => {
        looks += 1;
        return store.usage.next(settled);
      },
      arrived: (report) => store.usage.arrived(report),
    };
    const reports = startUsageReports({ ...deps, usage, settleMs: 3_600_000 });
    // The first look sees the record, and without the pause the second one would send it.
    await eventually(
      () => looks,
      (found) => found > 2,
    );
    await reports.stop();
    expect(looks).toBeGreaterThan(2);
    expect(received).toEqual([]);
  });
});

describe('a node and the real control plane', () => {
  let dashboard: Dashboard;
  let node: TestNode;
  let key: string;

  beforeAll(async () => {
    dashboard = await startDashboardProcess();
    key = await dashboard.newKey();
  });
  afterAll(() => dashboard.stop());
  afterEach(() => node.close());

  const startNode = async (): Promise<TestNode> =>
    startTestNode({
      replace: ({ store, signing, now, logger }) => {
        const auditLog = createAuditLog({ audit: store.audit, signing, now });
        const remember = createSettingsMemory({ store, auditLog });
        const directory = controlPlaneDirectory(dashboard.url, new Secret(SERVICE_TOKEN), remember);
        // Far from the end of the month, when the quota restarts.
        const inAMonth = (): Date => new Date('2026-01-15T12:00:00.000Z');
        const quota = createQuota({ quotas: store.quotas, now: inAMonth, logger });
        // Without a cache, so that a new plan applies at once.
        return { keys: directory, quota };
      },
    });
  const certify = (body: unknown): Promise<Answer> => ask(node, 'post', '/v1/cer/ai/certify', { key, body });
  const fresh = (): unknown => executionRequest({ executionId: randomUUID() });

  it('agree on plan limits and usage', async () => {
    node = await startNode();
    await dashboard.limitTo({ executionsPerMonth: 3, requestsPerMinute: 1000 });
    const known = fresh();
    const statuses: number[] = [];
    for (const body of [known, known, fresh(), fresh(), fresh(), known]) statuses.push((await certify(body)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 200]);
    expect((await certify(fresh())).headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });

    const reports = startUsageReports({
      controlPlaneUrl: dashboard.url,
      token: new Secret(SERVICE_TOKEN),
      usage: node.store.usage,
      leases: node.store.leases,
      logger: silentLogger(),
      everyMs: 10,
      settleMs: 0,
    });
    const shown = (): unknown[] => {
      const file = new Sqlite(dashboard.databaseFile, { readonly: true });
      try {
        // The day may change between two of them.
        return file.prepare('select kind, sum(count) as count from usage_days group by kind').all();
      } finally {
        file.close();
      }
    };
    expect(await eventually(shown, (rows) => rows.length > 0)).toEqual([{ kind: 'certify', count: 3 }]);
    await reports.stop();
    const [row] = await node.database.query('select used from quota_months');
    expect(Number(row?.['used'])).toBe(3);

    // A new plan applies at once.
    await dashboard.limitTo({ executionsPerMonth: 4, requestsPerMinute: 1000 });
    expect([(await certify(fresh())).status, (await certify(fresh())).status]).toEqual([200, 429]);
    await dashboard.limitTo({ requestsPerMinute: 2 });
    // The window of the requests above may be over: then two requests of a new one come first.
    const refused = await eventually(
      () => certify(known),
      ({ status }) => status === 429,
    );
    expect([refused.status, at(refused.body, 'error')]).toEqual([429, 'RATE_LIMITED']);
  });
});
