import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../src/index.js';
import { sqliteTestDatabase } from '../src/testing/index.js';
import { planFaults, readingPlans, recordPrepared } from '../src/testing/sqlite-plans.js';

const FEW = new Set(['state']);

let test: Awaited<ReturnType<typeof sqliteTestDatabase>>;
let prepared: readonly string[];

beforeAll(async () => {
  test = await sqliteTestDatabase();
  const { database } = await openDatabase(test.url, [
    {
      version: 1,
      up: (schema) =>
        schema.createTable('jobs', (table) => {
          table.text('job_id').primary();
          table.text('state').notNullable();
          table.text('note');
          table.index(['state', 'job_id'], 'jobs_state');
        }),
    },
  ]);
  const recorded = recordPrepared();
  await database.run(async (db) => {
    await db('jobs').where('job_id', 'one');
    await db('jobs').where('state', 'new').where('job_id', '>', 'one');
    await db('jobs').where('state', 'new');
    await db('jobs').orderBy('job_id').limit(1);
    await db('jobs').orderBy('note').limit(1);
    await db.raw("select * from (select state from jobs where job_id = 'one') as few");
    await db('jobs').where('note', "it's").delete();
  });
  recorded.stop();
  await database.ping();
  prepared = recorded.texts();
  await database.close();
});
afterAll(() => test.remove());

it("records a service's statements until it is stopped", () => {
  expect(prepared).toHaveLength(7);
  expect(prepared.every((text) => text.includes('jobs'))).toBe(true);
});

it('finds steps that scan or search by few values', async () => {
  expect(await readingPlans(test.query, prepared, FEW)).toEqual([
    'SCAN jobs: delete from `jobs` where `note` = ?',
    'SCAN jobs: select * from `jobs` order by `note` asc limit ?',
    'SEARCH jobs USING INDEX jobs_state (state=?): select * from `jobs` where `state` = ?',
  ]);
});

it('refuses steps without reasons and reasons without steps', () => {
  const found = ['SCAN jobs: select 1', 'SCAN plans: select 2'];
  expect(planFaults(found, [[/^SCAN plans/, 'a few rows']])).toEqual(['SCAN jobs: select 1']);
  expect(planFaults([], [[/^SCAN plans/, 'a few rows']])).toEqual(['unused: ^SCAN plans']);
});
