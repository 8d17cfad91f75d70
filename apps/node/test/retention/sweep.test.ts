import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { silentLogger } from '@cer/http-service/process';
import { postgresTestDatabase, sqliteTestDatabase } from '@cer/sql-store/testing';

import { createAuditLog, type AuditLog } from '../../src/audit-log/audit-log.js';
import { sweep, type SweepDeps } from '../../src/retention/sweep.js';
import { startSweeper } from '../../src/retention/sweeper.js';
import { openStore, type NewRecord, type Store } from '../../src/store/index.js';
import { ask } from '../ask.js';
import { newProject } from '../store/new-project.js';
import { newRecord } from '../store/new-record.js';
import { startTestNode, type TestNode } from '../test-node.js';

const NOW = new Date('2024-06-30T12:00:00.000Z');
const daysAgo = (days: number): string => new Date(NOW.getTime() - days * 86_400_000).toISOString();
const RUNNING = new AbortController().signal;

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
] as const)('sweeping on %s', (_name, makeDatabase) => {
  let node: TestNode;
  let store: Store;

  beforeAll(async () => {
    node = await startTestNode({ database: await makeDatabase() });
    ({ store } = node);
  });
  afterAll(async () => {
    await node.close();
    await node.database.remove();
  });

  const auditLogOf = ({ audit }: Store): AuditLog =>
    createAuditLog({ audit, signing: node.deps.signing, now: () => NOW });
  const depsOf = (of: Store): SweepDeps => ({ store: of, auditLog: auditLogOf(of), now: () => NOW });
  const another = (): Promise<Store> => openStore({ databaseUrl: node.database.url, queueLimit: 100 });

  /** A tenant with records of these ages in days. */
  async function tenantWith(
    ages: readonly number[],
    retentionDays: number | null = 30,
  ): Promise<[string, NewRecord[]]> {
    const tenantId = randomUUID();
    const records = ages.map((age) => newRecord({ tenantId, attestedAt: daysAgo(age) }));
    await Promise.all(records.map((record) => store.records.recordOnce(record)));
    await store.tenantSettings.set(tenantId, 'node', { retentionDays });
    return [tenantId, records];
  }
  const left = async (records: readonly NewRecord[]): Promise<boolean[]> =>
    await Promise.all(records.map(async (record) => (await store.records.findByHash(record.certificateHash)) !== null));
  async function entriesAbout(tenantId: string): Promise<{ act: string; actor: string; details: object }[]> {
    const rows = await store.audit.after(0, 10_000);
    return rows
      .map(({ entryJson }) => JSON.parse(entryJson) as { act: string; actor: string; target: string; details: object })
      .filter(({ target, act }) => target === tenantId && act.endsWith('.retention'));
  }

  it('deletes expired records and logs them first', async () => {
    const [tenantId, records] = await tenantWith([31, 30.5, 29.5, 0]);
    const [, kept] = await tenantWith([1_000], null);
    const project = newProject({ tenantId, registeredAt: daysAgo(40) });
    await store.projects.registerOnce(project);
    expect(await sweep(depsOf(store), RUNNING)).toBe(3);
    expect(await left([...records, ...kept])).toEqual([false, false, true, true, true]);
    expect(await store.projects.findByHash(project.projectHash)).toBeNull();
    const [first, second] = records.map(({ certificateHash }) => certificateHash);
    const before = daysAgo(30);
    expect(await entriesAbout(tenantId)).toMatchObject([
      { act: 'records.retention', actor: 'retention', details: { before, hashes: [first, second] } },
      { act: 'projects.retention', actor: 'retention', details: { before, hashes: [project.projectHash] } },
    ]);
    expect(await sweep(depsOf(store), RUNNING)).toBe(0);
    expect(await entriesAbout(tenantId)).toHaveLength(2);
  });

  it('keeps held records until their release', async () => {
    const [tenantId, records] = await tenantWith(Array.from({ length: 120 }, () => 50));
    const [heldTenant, ofHeldTenant] = await tenantWith([50]);
    await store.tenantSettings.set(heldTenant, 'control-plane', { legalHold: true });
    const held = records.slice(0, 110);
    for (const { certificateHash } of held) await store.legalHolds.place('records', certificateHash, null);
    expect(await sweep(depsOf(store), RUNNING)).toBe(10);
    expect(new Set(await left([...held, ...ofHeldTenant]))).toEqual(new Set([true]));
    expect(await entriesAbout(heldTenant)).toEqual([]);
    const [released] = held;
    await store.legalHolds.release(released?.certificateHash ?? '', null);
    await store.tenantSettings.set(heldTenant, 'control-plane', { legalHold: false });
    expect(await sweep(depsOf(store), RUNNING)).toBe(2);
    await store.tenantSettings.set(tenantId, 'node', { retentionDays: null });
  });

  it('applies a longer retention period at once', async () => {
    const [tenantId, records] = await tenantWith(Array.from({ length: 250 }, () => 50));
    const deps = depsOf(store);
    const changing: AuditLog = {
      append: async (act) => {
        await store.tenantSettings.set(tenantId, 'node', { retentionDays: 60 });
        return await deps.auditLog.append(act);
      },
    };
    expect(await sweep({ ...deps, auditLog: changing }, RUNNING)).toBe(100);
    expect((await left(records)).filter(Boolean)).toHaveLength(150);
  });

  it('stops after a batch and continues later', async () => {
    const [, records] = await tenantWith(Array.from({ length: 250 }, () => 50));
    const stopping = new AbortController();
    const deps = depsOf(store);
    const stopped: AuditLog = {
      append: (act) => {
        stopping.abort();
        return deps.auditLog.append(act);
      },
    };
    expect(await sweep({ ...deps, auditLog: stopped }, stopping.signal)).toBe(100);
    expect((await left(records)).filter(Boolean)).toHaveLength(150);
    expect(await sweep(deps, RUNNING)).toBe(150);
    expect(new Set(await left(records))).toEqual(new Set([false]));
  });

  it('deletes nothing that it could not log', async () => {
    const [tenantId, records] = await tenantWith([50]);
    const failing: AuditLog = { append: () => Promise.reject(new Error('no signer')) };
    await expect(sweep({ ...depsOf(store), auditLog: failing }, RUNNING)).rejects.toThrow('no signer');
    expect(await left(records)).toEqual([true]);
    await store.tenantSettings.set(tenantId, 'node', { retentionDays: null });
  });

  it('sweeps other tenants despite unreadable settings', async () => {
    const [unreadable, kept] = await tenantWith([50]);
    const [, records] = await tenantWith([50]);
    const [, more] = await tenantWith([50]);
    await store.tenantSettings.set(unreadable, 'node', { publishJson: '{"prompt":"of a later release"}' });
    await expect(sweep(depsOf(store), RUNNING)).rejects.toThrow();
    expect(await left([...kept, ...records, ...more])).toEqual([true, false, false]);
    await store.tenantSettings.set(unreadable, 'node', { publishJson: null, retentionDays: null });
  });

  it('ignores a clock ahead of the database’s', async () => {
    const tenantId = randomUUID();
    const tenDaysAgo = new Date(Date.now() - 10 * 86_400_000).toISOString();
    const record = newRecord({ tenantId, attestedAt: tenDaysAgo });
    await store.records.recordOnce(record);
    await store.tenantSettings.set(tenantId, 'node', { retentionDays: 30 });
    const inTenYears = new Date(Date.now() + 3_650 * 86_400_000);
    await sweep({ ...depsOf(store), now: () => inTenYears }, RUNNING);
    expect(await left([record])).toEqual([true]);
    await store.tenantSettings.set(tenantId, 'node', { retentionDays: 9 });
    expect(await sweep({ ...depsOf(store), now: () => new Date() }, RUNNING)).toBeGreaterThan(0);
    expect(await left([record])).toEqual([false]);
  });

  it('deletes each item once in concurrent sweeps', async () => {
    const [, records] = await tenantWith(Array.from({ length: 300 }, () => 50));
    const other = await another();
    const deleted = await Promise.all([sweep(depsOf(store), RUNNING), sweep(depsOf(other), RUNNING)]);
    expect(deleted.reduce((sum, each) => sum + each)).toBe(300);
    expect(new Set(await left(records))).toEqual(new Set([false]));
    await other.close();
  });

  it('does not block certification', async () => {
    await tenantWith(Array.from({ length: 1500 }, () => 50));
    const key = await node.newKey();
    const certify = async (): Promise<number> => {
      const body = executionRequest({ executionId: randomUUID() });
      return (await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).status;
    };
    // The first ones load and compile code and are much slower.
    for (let warmUp = 0; warmUp < 3; warmUp += 1) expect(await certify()).toBe(200);
    const sweeping = new AbortController();
    const swept = sweep(depsOf(store), RUNNING).finally(() => {
      sweeping.abort();
    });
    let certifiedDuringSweep = 0;
    for (; !sweeping.signal.aborted; certifiedDuringSweep += 1) expect(await certify()).toBe(200);
    expect(await swept).toBe(1500);
    expect(certifiedDuringSweep).toBeGreaterThan(2);
  });

  it('runs on one node at a time in the background', async () => {
    const [, records] = await tenantWith(Array.from({ length: 30 }, () => 50));
    const [gone, silent] = [randomUUID(), randomUUID()];
    for (const [instanceId, days] of [
      [gone, 1.01],
      [silent, 0.99],
    ] as const) {
      const seenMs = NOW.getTime() - days * 86_400_000;
      await store.signingKeys.announce({ instanceId, kid: null, lastSignedAt: null, seenMs });
    }
    const other = await another();
    const sweepers = [store, other].map((each) =>
      startSweeper({ ...depsOf(each), store: each, everyMs: 10, logger: silentLogger() }),
    );
    while ((await left(records)).includes(true)) await sleep(10);
    for (const sweeper of sweepers) await sweeper.stop();
    const known = (await store.signingKeys.read()).nodes.map(({ instanceId }) => instanceId);
    expect([known.includes(gone), known.includes(silent)]).toEqual([false, true]);
    expect(await store.leases.acquire('retention', 'somebody else', 1)).toBe(true);
    await other.close();
  });
});
