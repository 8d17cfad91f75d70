import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { StoreError } from '@cer/sql-store';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { describe, expect, it, beforeAll, afterAll } from '@jest/globals';
import { openStore, type Ingest, type NewSession, type Store } from '../src/store/index.js';

const START = Date.parse('2026-03-04T05:06:07.000Z');
const MINUTE_MS = 60_000;

/**
 * Work of several instances: concurrent where possible, sequential where one thread holds both ends of a file's lock.
 */
async function together<T>(url: string, works: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  if (!url.startsWith('sqlite:')) return Promise.all(works.map((work) => work()));
  const done: T[] = [];
  for (const work of works) done.push(await work());
  return done;
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('the store on %s', (_, newDatabase) => {
  let database: TestDatabase;
  let store: Store;
  let second: Store;
  let nowMs = START;
  const now = (): Date => new Date(nowMs);

  beforeAll(async () => {
    database = await newDatabase();
    // Two instances start on an empty database.
    const open = (): Promise<Store> => openStore({ databaseUrl: database.url, now });
    const [one, two] = await together(database.url, [open, open]);
    if (one === undefined || two === undefined) throw new Error('two stores were asked for');
    [store, second] = [one, two];
  });
  afterAll(async () => {
    await store.close();
    await second.close();
    await database.remove();
  });

  const newSession = (members: Partial<NewSession> = {}): NewSession => ({
    tokenHash: randomUUID(),
    tenantId: 'tenant-1',
    tenantName: 'Tenant',
    user: { id: 'user-1', email: 'a@example.com', name: 'A' },
    lastSignOutAt: new Date(START - MINUTE_MS).toISOString(),
    expiresAt: new Date(START + 60 * MINUTE_MS),
    replaces: null,
    ...members,
  });
  const token = (): { issuer: string; jti: string; expiresAt: Date } => ({
    issuer: 'https://dashboard.example',
    jti: randomUUID(),
    expiresAt: new Date(START + MINUTE_MS),
  });
  const ingest = (members: Partial<Ingest> = {}): Ingest => ({
    at: now().toISOString(),
    source: 'executions',
    outcome: 'certified',
    status: 200,
    executionId: randomUUID(),
    provider: 'p',
    model: 'm',
    certificateHash: `sha256:${'0'.repeat(64)}`,
    submittedHash: null,
    verificationUrl: 'https://verify.example/c/x',
    reason: null,
    ...members,
  });

  it('makes one session per token', async () => {
    const identity = token();
    const sessions = await together(
      database.url,
      Array.from(
        { length: 10 },
        (__, at) => () => (at % 2 ? store : second).sessions.startOnce(identity, newSession()),
      ),
    );
    expect(sessions.filter((session) => session !== null)).toHaveLength(1);
  });

  it('changes nothing for a used token', async () => {
    const identity = token();
    const first = newSession();
    await store.sessions.startOnce(identity, first);
    const late = newSession({ replaces: first.tokenHash });
    expect(await store.sessions.startOnce(identity, late)).toBeNull();
    expect(await store.sessions.find(first.tokenHash)).toMatchObject({ user: first.user });
    expect(await store.sessions.find(late.tokenHash)).toBeNull();
  });

  it('distinguishes equal token ids of different issuers', async () => {
    const identity = token();
    await store.sessions.startOnce(identity, newSession());
    expect(
      await store.sessions.startOnce({ ...identity, issuer: 'https://other.example' }, newSession()),
    ).not.toBeNull();
  });

  it('ends the session that a new one replaces', async () => {
    const first = newSession();
    const next = newSession({ replaces: first.tokenHash });
    await store.sessions.startOnce(token(), first);
    await store.sessions.startOnce(token(), next);
    expect(await second.sessions.find(first.tokenHash)).toBeNull();
    expect(await second.sessions.find(next.tokenHash)).not.toBeNull();
    nowMs = START + 60 * MINUTE_MS;
    expect(await second.sessions.find(next.tokenHash)).toBeNull();
    nowMs = START;
  });

  it('records when a session was used and rechecked', async () => {
    const session = newSession();
    await store.sessions.startOnce(token(), session);
    const lastSeenAt = new Date(START + MINUTE_MS);
    const checkedAt = new Date(START + 2 * MINUTE_MS);
    await store.sessions.touch(session.tokenHash, { lastSeenAt });
    await second.sessions.touch(session.tokenHash, { checkedAt });
    expect(await store.sessions.find(session.tokenHash)).toMatchObject({
      lastSeenAt: lastSeenAt.toISOString(),
      checkedAt: checkedAt.toISOString(),
      createdAt: new Date(START).toISOString(),
    });
  });

  it('lists a tenant’s ingests, newest first', async () => {
    const tenantId = randomUUID();
    const batch = Array.from({ length: 250 }, (__, at) => ingest({ executionId: `e-${at}` }));
    await store.ingests.record(tenantId, batch, { certified: 250, refused: 0 });
    const refused = ingest({
      outcome: 'refused',
      status: 409,
      reason: 'why',
      submittedHash: 'h',
      verificationUrl: null,
    });
    await second.ingests.record(tenantId, [refused], { certified: 0, refused: 1 });
    expect(await store.ingests.newest(tenantId, 2)).toEqual([refused, batch[249]]);
    expect(await store.ingests.newest(tenantId, 5, 'refused')).toEqual([refused]);
    expect(await store.ingests.newest('somebody else', 5)).toEqual([]);
  });

  it('sums throughput over instances, minutes and hours', async () => {
    const tenantId = randomUUID();
    await store.ingests.record(tenantId, [], { certified: 5, refused: 1 });
    nowMs = START + 59 * MINUTE_MS;
    await together(
      database.url,
      [store, second].map((instance) => () => instance.ingests.record(tenantId, [], { certified: 10, refused: 2 })),
    );
    const expected = { certifiedLastMinute: 20, refusedLastMinute: 4, certifiedLastHour: 25, refusedLastHour: 5 };
    expect(await store.ingests.throughput(tenantId)).toEqual(expected);
    nowMs = START + 61 * MINUTE_MS;
    expect(await store.ingests.throughput(tenantId)).toMatchObject({ certifiedLastMinute: 0, certifiedLastHour: 20 });
    nowMs = START;
  });

  it('limits requests per minute over all instances', async () => {
    const tenantId = randomUUID();
    const take = (instance: Store) => (): Promise<boolean> =>
      instance.limits.takeRequest(tenantId, '2026-03-04T05:06', 3);
    const taken = await together(database.url, [store, second, store, second, store].map(take));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(await store.limits.takeRequest(tenantId, '2026-03-04T05:07', 3)).toBe(true);
    expect(await store.limits.takeRequest(tenantId, '2026-03-04T05:08', 0)).toBe(false);
  });

  it('limits root spans per hour over all instances', async () => {
    const tenantId = randomUUID();
    const take = (instance: Store) => (): Promise<number> => instance.limits.takeRoots(tenantId, '2026-03-04T05', 2, 5);
    const taken = await together(database.url, [store, second, store, second].map(take));
    expect([...taken].sort()).toEqual([0, 1, 2, 2]);
    expect(await store.limits.takeRoots(tenantId, '2026-03-04T06', 7, 5)).toBe(5);
  });

  it('keeps the steps of a trace once and in order', async () => {
    const tenantId = randomUUID();
    const bundleJson = '{"é":0}';
    const step = (spanId: string, startedAt: string) => ({ spanId, parentSpanId: null, startedAt, bundleJson });
    await store.traces.keep(tenantId, 't', [step('b', '2'), step('a', '1')]);
    await second.traces.keep(tenantId, 't', [step('b', '2'), step('c', '3')]);
    expect((await store.traces.stepsOf(tenantId, 't', 10)).map(({ spanId }) => spanId)).toEqual(['a', 'b', 'c']);
    // A trace may be longer than a project may be; it is not read whole.
    expect((await store.traces.stepsOf(tenantId, 't', 2)).map(({ spanId }) => spanId)).toEqual(['a', 'b']);
    expect(await store.traces.stepsOf('somebody else', 't', 10)).toEqual([]);
    expect(await store.traces.sizeOf(tenantId, 't', 2)).toEqual({ steps: 2, bytes: 16 });
    expect(await store.traces.sizeOf('somebody else', 't', 2)).toEqual({ steps: 0, bytes: 0 });
    const root = { traceId: 't', startedAt: '1', endedAt: '4' };
    expect(await store.traces.rootsWithSteps(tenantId, ['t'])).toEqual([]);
    await second.traces.keepRoots(tenantId, [root, { ...root, traceId: 'without steps' }]);
    await store.traces.keepRoots(tenantId, [{ ...root, endedAt: '5' }]);
    await second.traces.keep('somebody else', 't', [step('b', '2')]);
    const many = Array.from({ length: 1000 }, (_, at) => `unknown ${at}`);
    expect(await store.traces.rootsWithSteps(tenantId, [...many, 'without steps', 't'])).toEqual([root]);
    expect(await store.traces.rootsWithSteps('somebody else', ['t'])).toEqual([]);
  });

  it('removes expired rows only', async () => {
    const tenantId = randomUUID();
    const identity = token();
    const session = newSession();
    await store.sessions.startOnce(identity, session);
    await store.ingests.record(tenantId, [ingest()], { certified: 1, refused: 0 });
    const step = { spanId: 'a', parentSpanId: null, startedAt: '1', bundleJson: '{}' };
    await store.traces.keep(tenantId, 't', [step]);
    await store.traces.keepRoots(tenantId, [{ traceId: 't', startedAt: '1', endedAt: '2' }]);
    await store.sweep();
    expect(await store.traces.rootsWithSteps(tenantId, ['t'])).toHaveLength(1);
    expect(await store.sessions.startOnce(identity, newSession())).toBeNull();
    expect(await store.ingests.newest(tenantId, 1)).toHaveLength(1);
    nowMs = START + 4 * 24 * 60 * MINUTE_MS;
    await store.sweep();
    expect(await store.ingests.newest(tenantId, 1)).toEqual([]);
    expect(await store.traces.stepsOf(tenantId, 't', 1)).toEqual([]);
    await store.traces.keep(tenantId, 't', [step]);
    expect(await store.traces.rootsWithSteps(tenantId, ['t'])).toEqual([]);
    nowMs = START;
    expect(await store.sessions.find(session.tokenHash)).toBeNull();
  });
});

describe('a database that cannot be used', () => {
  it('is refused without the driver’s message', async () => {
    const url = 'postgres://user:SECRET@127.0.0.1:9/none';
    const error: unknown = await openStore({ databaseUrl: url }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(error instanceof Error ? error.message : '').not.toContain('SECRET');
  });

  it('of SQLite is readable by its owner only', async () => {
    const database = await sqliteTestDatabase();
    const store = await openStore({ databaseUrl: database.url });
    expect(statSync(database.url.replace('sqlite:', '')).mode & 0o077).toBe(0);
    await store.close();
    await database.remove();
  });
});
