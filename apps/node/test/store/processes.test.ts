import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { migrate } from '../../src/store/index.js';
import { recordInProcess } from './recording-processes.js';
import { strays } from './store.contract.js';

const ROUNDS = [1, 2, 3, 4];

describe.each([
  ['SQLite', sqliteTestDatabase, false],
  ['SQLite, written in threads,', sqliteTestDatabase, true],
  ['PostgreSQL', postgresTestDatabase, false],
])('processes on one %s database', (_name, makeDatabase: () => Promise<TestDatabase>, inThread) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await makeDatabase();
    await migrate(database.url);
  });

  afterAll(async () => {
    await database.remove();
  });

  /** Reads the rows of a prefix directly from the database. */
  async function stored(prefix: string): Promise<Map<unknown, unknown>> {
    const rows = await database.query(
      `select e.execution_id, e.certificate_hash from executions e
       join records r on r.certificate_hash = e.certificate_hash and r.kind = 'full' and r.tenant_id = e.tenant_id
       where e.execution_id like '${prefix}-%'`,
    );
    return new Map(rows.map((row) => [row['execution_id'], row['certificate_hash']]));
  }

  it.each(ROUNDS)('keep every acknowledged record through kill -9, round %i', async (round) => {
    const prefix = `killed${round}`;
    const acknowledged = await recordInProcess({ url: database.url, inThread, prefix, killAfter: 100 * round });
    expect(acknowledged.size).toBeGreaterThanOrEqual(100 * round);
    expect(Object.fromEntries(await stored(prefix))).toMatchObject(Object.fromEntries(acknowledged));
    expect(await strays(database)).toEqual([]);
  });

  it('agree on one certificate while one is killed', async () => {
    const race = { url: database.url, inThread, prefix: 'raced', count: 400 };
    const answers = await Promise.all([
      recordInProcess(race),
      recordInProcess(race),
      recordInProcess({ ...race, killAfter: 100 }),
    ]);
    const kept = await stored('raced');
    expect(kept.size).toBe(400);
    expect(answers[0].size).toBe(400);
    for (const acknowledged of answers) {
      for (const [executionId, certificateHash] of acknowledged) expect(kept.get(executionId)).toBe(certificateHash);
    }
    expect(await strays(database)).toEqual([]);
  });
});
