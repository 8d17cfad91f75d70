import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { textAt } from './ask.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';
import { strays } from './store/store.contract.js';

// `npm run soak -w apps/node` sets it to 20.
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 3);
const IN_FLIGHT = 32;

interface Answered {
  readonly request: string;
  readonly text: string;
}

describe.each([
  ['SQLite', sqliteTestDatabase, '1', 'off'],
  ['SQLite, which writes in a thread,', sqliteTestDatabase, '1', 'on'],
  ['PostgreSQL', postgresTestDatabase, '1', 'off'],
  ['SQLite, with two workers,', sqliteTestDatabase, '2', 'off'],
  ['PostgreSQL, with two workers,', postgresTestDatabase, '2', 'off'],
])('a node on %s killed under load', (_name, makeDatabase: () => Promise<TestDatabase>, NODE_WORKERS, writer) => {
  let database: TestDatabase;
  let premises: Premises;

  beforeAll(async () => {
    database = await makeDatabase();
    premises = await premisesOn(database);
  });
  afterAll(async () => {
    premises.remove();
    await database.remove();
  });

  async function certify(
    { url }: NodeProcess,
    request: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${url}/v1/cer/ai/certify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${premises.key}` },
      body: request,
      // A fetch whose connection is killed during setup may never settle.
      signal: AbortSignal.timeout(100_000),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Certifies continuously and kills the node after a number of responses. */
  async function killUnderLoad(node: NodeProcess, killAfter: number): Promise<Answered[]> {
    const answered: Answered[] = [];
    const load = new AbortController();
    const isOver = (): boolean => load.signal.aborted;
    const client = async (): Promise<void> => {
      while (!isOver()) {
        const confidential = answered.length % 4 === 0 ? CONFIDENTIAL_MEMBERS : {};
        const request = JSON.stringify(executionRequest({ executionId: randomUUID(), ...confidential }));
        try {
          const { status, text } = await certify(node, request);
          if (status !== 200) throw new Error(text);
          answered.push({ request, text });
        } catch (error) {
          // Only the kill may lose a response.
          if (!isOver()) throw error;
        }
        if (answered.length >= killAfter && !isOver()) {
          load.abort();
          node.kill('SIGKILL');
        }
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    expect(await node.ended).toMatchObject({ signal: 'SIGKILL' });
    return answered;
  }

  async function expectAllKept(answered: readonly Answered[]): Promise<void> {
    const rows = await database.query(
      `select r.certificate_hash, r.meta_json, e.execution_id from executions e
       join records r on r.certificate_hash = e.certificate_hash and r.kind = 'full' and r.tenant_id = e.tenant_id`,
    );
    const kept = new Map(rows.map((row) => [row['execution_id'], row]));
    for (const { request, text } of answered) {
      const answer: unknown = JSON.parse(text);
      const row = kept.get(textAt(JSON.parse(request), 'executionId'));
      expect(row?.['certificate_hash']).toBe(textAt(answer, 'certificateHash'));
      expect(textAt(JSON.parse(textAt(row, 'meta_json')), 'attestation', 'signature')).toBe(
        textAt(answer, 'signature'),
      );
    }
    expect(await strays(database)).toEqual([]);
  }

  it(
    `replays every acknowledged certificate, ${ROUNDS} times`,
    async () => {
      let answered: Answered[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const node = await startNodeProcess({ ...premises.env, SQLITE_WRITER_THREAD: writer, NODE_WORKERS });
        for (const { request, text } of answered) expect((await certify(node, request)).text).toBe(text);
        if (round === ROUNDS) {
          node.kill('SIGTERM');
          expect(await node.ended).toMatchObject({ code: 0 });
          return;
        }
        answered = await killUnderLoad(node, 60 + 13 * round);
        expect(answered.length).toBeGreaterThanOrEqual(60);
        await expectAllKept(answered);
        expect(node.stdout()).not.toContain(premises.key);
        expect(node.stdout()).not.toContain('What is a receipt?');
      }
    },
    200_000 * ROUNDS,
  );
});
