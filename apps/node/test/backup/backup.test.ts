import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';
import type { JsonObject } from '@cer/canonical-json';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, at, objectAt, textAt, type Answer } from '../ask.js';
import {
  premisesOn,
  startNodeProcess,
  type NodeEnvironment,
  type NodeProcess,
  type Premises,
} from '../node-process.js';
import { keptPostgres, keptSqlite, type KeptDatabase } from './kept-databases.js';

const ADMIN_SECRET = 'secret of the test administrator';
const CLIENTS = 8;

interface Answered {
  readonly request: JsonObject;
  readonly answer: Answer;
}

describe.each<[string, () => Promise<TestDatabase>, KeptDatabase]>([
  ['SQLite', sqliteTestDatabase, keptSqlite],
  ['PostgreSQL', postgresTestDatabase, keptPostgres],
])("a node's backup under load on %s", (_name, makeDatabase, kept) => {
  let database: TestDatabase;
  let premises: Premises;
  let env: NodeEnvironment;
  let restored: NodeProcess;
  let stopDatabase: (() => Promise<void>) | undefined;
  /** Responses from before the backup. */
  const before: Answered[] = [];
  const hidden: string[] = [];
  let auditBefore: unknown;
  let historyBefore: Record<string, unknown>;

  const certify = (node: NodeProcess, request: JsonObject): Promise<Answer> =>
    ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: request });
  const audit = async (node: NodeProcess): Promise<unknown> =>
    (await ask(node, 'get', '/v1/admin/audit', { headers: { 'X-Admin-Secret': ADMIN_SECRET } })).body;
  const history = async (node: NodeProcess): Promise<Record<string, unknown>> =>
    objectAt((await ask(node, 'get', '/.well-known/svc-key-history.json')).body);

  async function loaded(node: NodeProcess, work: () => Promise<void>): Promise<void> {
    const load = new AbortController();
    const isOver = (): boolean => load.signal.aborted;
    const client = async (): Promise<void> => {
      while (!isOver()) {
        const answer = await certify(node, executionRequest({ executionId: randomUUID() }));
        if (answer.status !== 200) throw new Error(`status ${answer.status} under load: ${answer.text}`);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    try {
      await work();
    } finally {
      load.abort();
      await clients;
    }
  }

  beforeAll(async () => {
    database = await makeDatabase();
    premises = await premisesOn(database);
    env = { ...premises.env, ADMIN_SECRET };
    const node = await startNodeProcess(env);
    for (let count = 0; count < 24; count += 1) {
      const confidential = count % 4 === 0 ? CONFIDENTIAL_MEMBERS : {};
      const request = executionRequest({ executionId: randomUUID(), ...confidential });
      before.push({ request, answer: await certify(node, request) });
    }
    const gone = textAt(before[1]?.answer.body, 'certificateHash');
    await ask(node, 'post', `/v1/admin/records/${gone}/hide`, { headers: { 'X-Admin-Secret': ADMIN_SECRET } });
    hidden.push(gone);
    auditBefore = await audit(node);
    historyBefore = await history(node);
    const folder = join(premises.folder, 'kept');
    mkdirSync(folder);
    await loaded(node, () => kept.backUp(env, folder));
    // The first location is lost, including later writes.
    node.kill('SIGKILL');
    await node.ended;
    const { url, stop } = await kept.restore(env, folder);
    stopDatabase = stop;
    // On another machine, which has the key files and no mark.
    rmSync(`${env['KEYS_FILE'] ?? ''}.mark`, { force: true });
    restored = await startNodeProcess({ ...env, DATABASE_URL: url });
  }, 400_000);
  afterAll(async () => {
    premises.remove();
    await stopDatabase?.();
    await database.remove();
  });

  it('contains every earlier certificate with its visibility', async () => {
    for (const { answer } of before) {
      expect(answer.status).toBe(200);
      const { body } = await ask(restored, 'post', '/v1/cer/verify', {
        body: { bundle: at(answer.body, 'cer') },
      });
      expect(body).toMatchObject({ status: 'verified', checks: { certificateHash: 'pass', signature: 'pass' } });
      const hash = textAt(answer.body, 'certificateHash');
      const { status } = await ask(restored, 'get', `/v1/cer/public?certificate_hash=${hash}`);
      expect([hash, status]).toEqual([hash, hidden.includes(hash) ? 404 : 200]);
    }
  });

  it('replays earlier requests with the same certificate', async () => {
    for (const { request, answer } of before) {
      const again = await certify(restored, request);
      expect([again.status, again.headers['x-idempotent-replay']]).toEqual([200, 'true']);
      for (const name of ['certificateHash', 'receipt', 'signature', 'requestId', 'openings']) {
        expect(at(again.body, name)).toEqual(at(answer.body, name));
      }
      const changed = await certify(restored, { ...request, model: 'another' });
      expect([changed.status, at(changed.body, 'error')]).toEqual([409, 'EXECUTION_MUTATION_DETECTED']);
    }
  });

  it('continues with its keys, key history and audit log', async () => {
    expect(await audit(restored)).toEqual(auditBefore);
    expect((await history(restored))['entries']).toEqual(historyBefore['entries']);
    const fresh = await certify(restored, executionRequest({ executionId: randomUUID() }));
    expect(textAt(fresh.body, 'receipt', 'kid')).toBe(textAt(before[0]?.answer.body, 'receipt', 'kid'));
  });
});
