import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { CONFIDENTIAL_MEMBERS, executionRequest, sealed } from '@cer/cer-core/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, textAt, type Answer } from './ask.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';
import { strays } from './store/store.contract.js';

const PARALLEL = 64;

describe.each([
  ['three node processes on one PostgreSQL', postgresTestDatabase, ['1', '1', '1'], 'off'],
  ['two nodes on one PostgreSQL, one with workers,', postgresTestDatabase, ['1', '2'], 'off'],
  ['two workers on one SQLite file', sqliteTestDatabase, ['2'], 'off'],
  ['two workers that write to one SQLite file in threads', sqliteTestDatabase, ['2'], 'on'],
] as const)('%s', (_name, makeDatabase: () => Promise<TestDatabase>, workers, SQLITE_WRITER_THREAD) => {
  let database: TestDatabase;
  let premises: Premises;
  let nodes: readonly NodeProcess[];

  beforeAll(async () => {
    database = await makeDatabase();
    premises = await premisesOn(database);
    nodes = await Promise.all(
      workers.map((NODE_WORKERS) => startNodeProcess({ ...premises.env, SQLITE_WRITER_THREAD, NODE_WORKERS })),
    );
    // The first line of a node with workers is that of its first one.
    await Promise.all(
      nodes.map(async (node, at) => {
        if (workers[at] !== '1') await node.until('"msg":"all workers listen"');
      }),
    );
  });
  afterAll(async () => {
    for (const node of nodes) node.kill('SIGTERM');
    for (const node of nodes) expect(await node.ended).toMatchObject({ code: 0, stderr: '' });
    premises.remove();
    await database.remove();
  });

  /** The n-th of parallel requests, distributed over the nodes. */
  function send(index: number, path: string, body: JsonObject): Promise<Answer> {
    const node = nodes[index % nodes.length];
    if (node === undefined) throw new Error('no node');
    return ask(node, 'post', path, { key: premises.key, body });
  }
  const certify = (index: number, body: JsonObject): Promise<Answer> => send(index, '/v1/cer/ai/certify', body);
  const inParallel = (work: (index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: PARALLEL }, (_item, index) => work(index)));
  const request = (members: JsonObject = {}): JsonObject => executionRequest({ executionId: randomUUID(), ...members });

  async function expectOneRecord(body: JsonObject): Promise<void> {
    const id = textAt(body, 'executionId');
    expect(await database.query(`select 1 as one from records where execution_id = '${id}'`)).toEqual([{ one: 1 }]);
    expect(await strays(database)).toEqual([]);
  }

  it.each<[string, JsonObject]>([
    ['plain', {}],
    ['confidential', CONFIDENTIAL_MEMBERS],
  ])('make one certificate from 64 parallel requests: %s', async (_name, members) => {
    const body = request(members);
    const answers = await inParallel((index) => certify(index, body));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['x-idempotent-replay'] === undefined)).toHaveLength(1);
    await expectOneRecord(body);
  });

  it('make one certificate with default times', async () => {
    const { createdAt, ...body } = request();
    expect(createdAt).toBeDefined();
    const answers = await inParallel((index) => certify(index, body));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await expectOneRecord(body);
  });

  it('accept one of two contents and answer 409', async () => {
    const body = request();
    const answers = await inParallel((index) => certify(index, { ...body, output: `content ${(index >> 2) % 2}` }));
    const winners = answers.filter(({ status }) => status === 200);
    expect(new Set(winners.map(({ text }) => text)).size).toBe(1);
    expect(winners).toHaveLength(PARALLEL / 2);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(PARALLEL / 2);
    await expectOneRecord(body);
  });

  it('accept one of competing certify and attest requests', async () => {
    const body = request();
    const [same, other] = [sealed(body).bundle, sealed({ ...body, output: 'other' }).bundle];
    const answers = await inParallel(
      (index) =>
        [
          () => certify(index, body),
          () => send(index, '/api/attest', same),
          () => send(index, '/api/attest', other),
          () => certify(index, { ...body, output: 'other' }),
        ][(index >> 2) % 4]?.() ?? Promise.reject(new Error('no request')),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(new Set(winners.map(({ text }) => text)).size).toBe(1);
    expect(winners).toHaveLength(PARALLEL / 2);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(PARALLEL / 2);
    await expectOneRecord(body);
  });
});
