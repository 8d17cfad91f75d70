import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, at, textAt, type Answer } from './ask.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';

const ADMIN_SECRET = 'a secret of the administrator of two nodes';
const ROUNDS = 10;

/** Two nodes, and what an administrator does on one is asked of the other at once. */
describe('two node processes on one PostgreSQL', () => {
  let database: TestDatabase;
  let premises: Premises;
  let first: NodeProcess;
  let second: NodeProcess;
  let tenantId: unknown;

  beforeAll(async () => {
    database = await postgresTestDatabase();
    premises = await premisesOn(database);
    const env = { ...premises.env, ADMIN_SECRET };
    [first, second] = await Promise.all([startNodeProcess(env), startNodeProcess(env)]);
    [tenantId] = (await database.query('select tenant_id from tenants')).map((row) => at(row, 'tenant_id'));
  });
  afterAll(async () => {
    for (const node of [first, second]) node.kill('SIGTERM');
    for (const node of [first, second]) await node.ended;
    premises.remove();
    await database.remove();
  });

  const admin = async (path: string, body: object): Promise<void> => {
    const { status } = await ask(first, 'post', `/v1/admin/${path}`, {
      headers: { 'x-admin-secret': ADMIN_SECRET },
      body,
    });
    expect(status).toBe(200);
  };
  const certify = (executionId: string): Promise<Answer> =>
    ask(second, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest({ executionId }) });
  /** The answers of the other node without a key: by hash, as a proof, by id. */
  const seen = async (hash: string, executionId: string): Promise<readonly number[]> => {
    const paths = [
      `/v1/cer/public?certificate_hash=${hash}`,
      `/api/public-cer-proof?certificate_hash=${hash}`,
      `/v1/cer/public?execution_id=${executionId}`,
    ];
    return Promise.all(paths.map(async (path) => (await ask(second, 'get', path)).status));
  };

  it('hide and show a record as soon as one answers', async () => {
    const executionId = randomUUID();
    const hash = textAt((await certify(executionId)).body, 'certificateHash');
    expect(await seen(hash, executionId)).toEqual([200, 200, 200]);
    for (let round = 0; round < ROUNDS; round += 1) {
      await admin(`records/${hash}/hide`, {});
      expect(await seen(hash, executionId)).toEqual([404, 404, 404]);
      await admin(`records/${hash}/unhide`, {});
      expect(await seen(hash, executionId)).toEqual([200, 200, 200]);
    }
  });

  it("hide a tenant's new records as soon as one answers", async () => {
    // The other node knows the tenant's settings already.
    expect((await certify(randomUUID())).status).toBe(200);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [visibility, status] of [
        ['hidden', 404],
        ['public', 200],
      ] as const) {
        await admin(`tenants/${String(tenantId)}/settings`, { visibility });
        const executionId = randomUUID();
        const hash = textAt((await certify(executionId)).body, 'certificateHash');
        expect(await seen(hash, executionId)).toEqual([status, status, status]);
      }
    }
  });
});
