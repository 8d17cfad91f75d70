import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeTaskGrowth, type PopulatedTasks } from '@cer/http-service/testing/request-costs';
import {
  countedTestDatabase,
  sqliteTestDatabase,
  sweepOnSqlite,
  type CountedDatabase,
  type ReadsMany,
  type TestDatabase,
} from '@cer/sql-store/testing';
import { startStubControlPlane, type StubControlPlane } from '../stub-control-plane.js';
import { startTestBridge } from '../test-bridge.js';
import { addRows } from './populated-bridge.js';

// The periodic tasks of the bridge: it removes expired rows, and reports usage.

const DAY_MS = 24 * 60 * 60_000;
/** Tables whose rows expire. */
const SWEPT = [
  ...[
    'consumed_tokens',
    'sessions',
    'ingests',
    'ingest_minutes',
    'request_minutes',
    'root_hours',
    'trace_steps',
    'trace_roots',
  ],
];

/** On SQLite: alone, none of these finds few rows. */
const FEW_VALUES = new Set(['tenant_id']);
const READS_MANY: ReadsMany = [
  [
    /^SCAN (ingest_minutes|request_minutes|root_hours): delete /,
    'rows of the last two hours: a sweep leaves no others',
  ],
];

let controlPlane: StubControlPlane;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
});
afterAll(() => controlPlane.close());

async function populatedTasks(size: number, database: TestDatabase | CountedDatabase): Promise<PopulatedTasks> {
  let time = Date.now();
  const bridge = await startTestBridge({
    ...{ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url, databaseUrl: database.url },
    now: () => new Date(time),
  });
  for (let at = 0; at < size; at += 1) await addRows(bridge, randomUUID(), at);
  // Several reports: one has at most a thousand accounts.
  for (let at = 0; at < 200 * size; at += 1) bridge.usage.add(randomUUID(), 1);
  if ('work' in database) await database.query('analyze');
  const tasks: Readonly<Record<string, () => Promise<void>>> = {
    'a sweep that finds nothing': () => bridge.store.sweep(),
    'a report of usage': () => bridge.usage.flush(),
    'a sweep of all': () => {
      time += 3 * DAY_MS;
      return bridge.store.sweep();
    },
  };
  return {
    run: async (task) => tasks[task]?.(),
    work: 'work' in database ? database.work : () => ({ statements: 0, rows: 0 }),
    close: async () => {
      await bridge.close();
      await database.remove();
    },
  };
}

describeTaskGrowth({
  tasks: [
    ['a sweep that finds nothing', false],
    ['a report of usage', true],
    ['a sweep of all', true],
  ],
  populate: async (size) => populatedTasks(size, await countedTestDatabase()),
});

it('removes expired rows on SQLite by an index', async () => {
  const { faults, before, after } = await sweepOnSqlite({
    tables: SWEPT,
    rules: { fewValues: FEW_VALUES, readsMany: READS_MANY },
    populate: (database) => populatedTasks(2, database),
    task: 'a sweep of all',
  });
  expect({ faults, after }).toEqual({ faults: [], after: 0 });
  expect(before).toBeGreaterThan(SWEPT.length);
});

// Each statement on SQLite keeps the bridge from answering.
it('answers between the parts of a large sweep on SQLite', async () => {
  const database = await sqliteTestDatabase();
  const { run, close } = await populatedTasks(1, database);
  await database.query(`insert into ingests (tenant_id, at, source, outcome, status)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
    select 'tenant', '2020-01-01T00:00:00.' || n, 'otlp', 'certified', 200 from numbers`);
  const seen = new Set<number>();
  const sweeping = new AbortController();
  const watching = (async () => {
    while (!sweeping.signal.aborted) {
      const [row] = await database.query('select count(*) as n from ingests');
      seen.add(Number(row?.['n']));
      await nextTurnOfLoop();
    }
  })();
  await run('a sweep of all');
  sweeping.abort();
  await watching;
  expect([...seen].filter((count) => count > 0 && count < 5000).length).toBeGreaterThanOrEqual(4);
  await close();
});
