import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, textAt } from './ask.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';

let database: TestDatabase;
let premises: Premises;
let node: NodeProcess;

beforeAll(async () => {
  database = await sqliteTestDatabase();
  premises = await premisesOn(database);
  node = await startNodeProcess(premises.env);
});
afterAll(async () => {
  node.kill('SIGTERM');
  await node.ended;
  premises.remove();
  await database.remove();
});

it('logs database failures with the request id', async () => {
  await database.query('alter table records rename to records_gone');
  const refused = await ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest() });
  expect(refused.status).toBe(500);
  const requestId = textAt(refused.body, 'requestId');
  await node.until(`"status":500,`);
  const lines = node
    .stdout()
    .split('\n')
    .filter((line) => line.includes(requestId) && line.includes('"err"'))
    .map((line): unknown => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'error',
      code: 'ATTESTATION_ERROR',
      err: expect.objectContaining({ message: 'the database is not available (SQLITE_ERROR)' }),
    }),
  ]);
});
