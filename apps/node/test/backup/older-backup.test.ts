import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { executionRequest } from '@cer/cer-core/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ask, at, textAt, type Answer } from '../ask.js';
import {
  premisesOn,
  runNode,
  startNodeProcess,
  type NodeEnvironment,
  type NodeProcess,
  type Premises,
} from '../node-process.js';
import { keptPostgres, keptSqlite, type KeptDatabase } from './kept-databases.js';

const ADMIN_SECRET = 'secret of the test administrator';
const REASON = 'store: is older than this node has seen: an operator must accept the restore';

describe.each<[string, () => Promise<TestDatabase>, KeptDatabase]>([
  ['SQLite', sqliteTestDatabase, keptSqlite],
  ['PostgreSQL', postgresTestDatabase, keptPostgres],
])('a node on an older backup: %s', (_name, makeDatabase, kept) => {
  let database: TestDatabase;
  let premises: Premises;
  let env: NodeEnvironment;
  let node: NodeProcess;
  let stopDatabase: (() => Promise<void>) | undefined;
  let ofGap: Answer;

  const certify = (executionId: string, model = 'example-1'): Promise<Answer> =>
    ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest({ executionId, model }) });
  const stop = async (): Promise<void> => {
    node.kill('SIGTERM');
    await node.ended;
  };

  beforeAll(async () => {
    database = await makeDatabase();
    premises = await premisesOn(database);
    env = { ...premises.env, ADMIN_SECRET };
    node = await startNodeProcess(env);
    expect((await certify('before')).status).toBe(200);
    const folder = join(premises.folder, 'kept');
    mkdirSync(folder);
    await kept.backUp(env, folder);
    ofGap = await certify('of the gap');
    // A stopping node marks the last growth.
    await stop();
    expect(existsSync(`${env['KEYS_FILE'] ?? ''}.mark`)).toBe(true);
    const restored = await kept.restore(env, folder);
    stopDatabase = restored.stop;
    env = { ...env, DATABASE_URL: restored.url };
    node = await startNodeProcess(env);
  }, 400_000);
  afterAll(async () => {
    await stop();
    premises.remove();
    await stopDatabase?.();
    await database.remove();
  });

  it('says so and certifies nothing', async () => {
    const { status, body } = await ask(node, 'get', '/ready');
    expect([status, body]).toEqual([503, { status: 'not ready', reasons: [REASON] }]);
    for (const path of ['/v1/cer/ai/certify', '/v1/cer/ai/certify-batch']) {
      const refused = await ask(node, 'post', path, {
        key: premises.key,
        body: JSON.stringify(executionRequest({ executionId: 'of the gap', model: 'another' })),
        headers: path.endsWith('batch') ? { 'Content-Type': 'application/x-ndjson' } : {},
      });
      expect([refused.status, at(refused.body, 'error')]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    expect((await ask(node, 'get', '/v1/cer/public?execution_id=before')).status).toBe(200);
  });

  it("attests the clients' certificates, which claims their ids again", async () => {
    const { status, body } = await ask(node, 'post', '/api/attest', {
      key: premises.key,
      body: at(ofGap.body, 'cer'),
    });
    expect([status, textAt(body, 'certificateHash')]).toEqual([200, textAt(ofGap.body, 'certificateHash')]);
  });

  it('certifies again after an operator accepts the logged gap', async () => {
    const accepted = await runNode(['restore', 'accept'], env);
    expect(accepted.stdout).toMatch(/^accepted: what was recorded between \d{4}-.*Z and \d{4}-.*Z may be missing/);
    const { body } = await ask(node, 'get', '/v1/admin/audit', { headers: { 'X-Admin-Secret': ADMIN_SECRET } });
    expect(JSON.stringify(body)).toContain('store.restored');
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
    expect((await certify('of the gap', 'another')).status).toBe(409);
    expect((await certify('after')).status).toBe(200);
    expect((await runNode(['restore', 'accept'], env)).stdout).toContain('nothing to accept');
    await stop();
    node = await startNodeProcess(env);
    expect((await ask(node, 'get', '/ready')).status).toBe(200);
  });
});
