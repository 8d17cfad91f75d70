import { expect, it } from '@jest/globals';
import { describeTaskGrowth, type PopulatedTasks } from '@cer/http-service/testing/request-costs';
import { countedTestDatabase, sweepOnSqlite, type CountedDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { startTestDashboard } from '../test-dashboard.js';
import { addRows } from './populated-dashboard.js';

// The periodic tasks of the dashboard: it removes expired rows, and writes when keys were used.

const YEAR_MS = 365 * 24 * 60 * 60_000;
/** Tables whose rows expire. */
const SWEPT = [
  ...['sessions', 'reader_keys', 'used_challenges', 'one_time_links', 'shares', 'usage_reports', 'usage_days'],
  'login_attempts',
];

async function populatedTasks(size: number, database: TestDatabase | CountedDatabase): Promise<PopulatedTasks> {
  const dashboard = await startTestDashboard({ databaseUrl: database.url });
  const { store, lastUsed, tenant } = dashboard;
  for (let at = 0; at < size; at += 1) await addRows(dashboard, database, at);
  // Very old attempts to sign in have expired before the others.
  await database.query(`update login_attempts set expire = ${Date.now() + YEAR_MS}`);
  for (const { keyId } of await store.apiKeys.list(tenant.tenantId, null, 100_000))
    lastUsed.note(keyId, dashboard.now());
  if ('work' in database) await database.query('analyze');
  const tasks: Readonly<Record<string, () => Promise<void>>> = {
    'a sweep that finds nothing': () => store.sweep(),
    'the last use of keys': () => lastUsed.flush(),
    'a sweep of all': () => {
      dashboard.pass(3 * YEAR_MS);
      return store.sweep();
    },
  };
  return {
    run: async (task) => tasks[task]?.(),
    work: 'work' in database ? database.work : () => ({ statements: 0, rows: 0 }),
    close: async () => {
      await dashboard.close();
      await database.remove();
    },
  };
}

describeTaskGrowth({
  tasks: [
    ['a sweep that finds nothing', false],
    ['the last use of keys', true],
    ['a sweep of all', true],
  ],
  populate: async (size) => populatedTasks(size, await countedTestDatabase()),
});

it('removes expired rows on SQLite by an index', async () => {
  const { faults, before, after } = await sweepOnSqlite({
    tables: SWEPT,
    rules: { fewValues: new Set(), readsMany: [] },
    populate: (database) => populatedTasks(2, database),
    task: 'a sweep of all',
  });
  expect({ faults, after }).toEqual({ faults: [], after: 0 });
  expect(before).toBeGreaterThan(SWEPT.length);
});
