import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { executionRequest } from '@cer/cer-core/testing';
import { connectRaw } from '@cer/http-service/testing';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, textAt, type Answer } from '../ask.js';
import { premisesOn, runNode, startNodeProcess, type NodeProcess, type Premises } from '../node-process.js';
import { strays } from '../store/store.contract.js';

const WORKERS = 2;
const IN_FLIGHT = 16;

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('a node of two workers on %s', (_name, makeDatabase: () => Promise<TestDatabase>) => {
  let database: TestDatabase;
  let premises: Premises;

  beforeEach(async () => {
    database = await makeDatabase();
    premises = await premisesOn(database);
  });
  afterEach(async () => {
    premises.remove();
    await database.remove();
  });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
    const node = await startNodeProcess({ ...premises.env, NODE_WORKERS: String(WORKERS), ...env });
    await node.until('"msg":"all workers listen"');
    return node;
  }

  async function stop(node: NodeProcess): Promise<void> {
    node.kill('SIGTERM');
    expect(await node.ended).toMatchObject({ code: 0, stderr: '' });
  }

  const certify = (node: NodeProcess, members: { readonly executionId: string }): Promise<Answer> =>
    ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest(members) });

  it('replaces a killed worker and keeps every acknowledged record', async () => {
    const node = await start();
    const acknowledged = new Map<string, string>();
    const lost: string[] = [];
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) {
        const executionId = randomUUID();
        try {
          const { status, body } = await certify(node, { executionId });
          expect(status).toBe(200);
          acknowledged.set(executionId, textAt(body, 'certificateHash'));
        } catch (error) {
          // Its connection was that worker's.
          expect(String(error)).toMatch(/ECONNRESET|EPIPE|socket hang up/);
          lost.push(executionId);
        }
      }
    };
    const clients = Array.from({ length: IN_FLIGHT }, client);
    for (const worker of [0, 1]) {
      const before = acknowledged.size;
      while (acknowledged.size < before + 60) await sleep(5);
      const [pid = 0] = pidsOf(node, worker).slice(-1);
      process.kill(pid, 'SIGKILL');
      while (pidsOf(node, worker).at(-1) === pid) await sleep(20);
    }
    isOver = true;
    await Promise.all(clients);

    expect(lost.length).toBeLessThanOrEqual(2 * IN_FLIGHT);
    expect(node.stdout()).toContain('"msg":"a worker ended and is replaced"');
    const rows = await database.query('select execution_id, certificate_hash from executions');
    const kept = new Map(rows.map((row) => [row['execution_id'], row['certificate_hash']]));
    for (const [executionId, hash] of acknowledged) expect(kept.get(executionId)).toBe(hash);
    expect(await strays(database)).toEqual([]);
    // Requests whose answer was lost have one certificate too.
    for (const executionId of lost) expect((await certify(node, { executionId })).status).toBe(200);
    expect(await readiness(node, 200)).toEqual({ status: 'ready' });
    await stop(node);
  });

  it('counts all workers on /metrics, also a killed one', async () => {
    const node = await start();
    const requests = 12;
    for (let request = 0; request < requests; request += 1) await certify(node, { executionId: randomUUID() });
    const counted = async (): Promise<number> => {
      const { text } = await ask(node, 'get', '/metrics');
      const route = 'route="/v1/cer/ai/certify",method="POST",status="2xx"';
      return Number(new RegExp(`^http_request_duration_seconds_count\\{${route}\\} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    expect(await counted()).toBe(requests);
    const [pid = 0] = pidsOf(node, 1);
    process.kill(pid, 'SIGKILL');
    while (pidsOf(node, 1).length === 1) await sleep(20);
    expect(await counted()).toBe(requests);
    const metrics = async (): Promise<string> => (await ask(node, 'get', '/metrics')).text;
    // The new worker listens before it has looked at the signer.
    while (!(await metrics()).includes('cer_signer_up 1\n')) await sleep(20);
    expect((await metrics()).match(/^cer_commits_pending /gm)).toHaveLength(1);
    await stop(node);
  });

  it('counts limits over all workers', async () => {
    const node = await start({ RATE_LIMIT_KEY_PER_MINUTE: '20', VERIFY_CONCURRENCY_PER_IP: '3' });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await certify(node, { executionId: randomUUID() })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);

    const held = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const raw = await connectRaw(node.url);
        raw.send('POST /v1/cer/verify HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\n');
        raw.send('Expect: 100-continue\r\nContent-Length: 100\r\n\r\n');
        const first = await raw.until('100 Continue').then(
          () => 100,
          (error: unknown) => (String(error).includes('RATE_LIMITED') ? 429 : 0),
        );
        return { raw, first };
      }),
    );
    expect(held.map(({ first }) => first).sort()).toEqual([100, 100, 100, 429, 429, 429]);
    for (const { raw } of held) raw.socket.destroy();
    // Given back.
    const verified = async (): Promise<number> => (await ask(node, 'post', '/v1/cer/verify', { body: {} })).status;
    while ((await verified()) === 429) await sleep(20);
    await stop(node);
  });

  it('counts wrong admin secrets over all workers', async () => {
    const node = await start({ ADMIN_SECRET: 'secret of the test administrator' });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const headers = { 'X-Admin-Secret': 'a wrong secret' };
      statuses.push((await ask(node, 'get', '/v1/admin/audit', { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429, 429]);
    await stop(node);
  });

  it('answers a revocation when every worker knows it', async () => {
    const adminSecret = 'secret of the test administrator';
    const node = await start({ ADMIN_SECRET: adminSecret });
    const { body } = await certify(node, { executionId: randomUUID() });
    const revoked = await ask(node, 'post', `/v1/admin/keys/${textAt(body, 'kid')}/revoke`, {
      body: { reason: 'keyCompromise' },
      headers: { 'X-Admin-Secret': adminSecret },
    });
    expect(revoked.status).toBe(200);
    // Connections are given to the workers in turn.
    for (let turn = 0; turn < 2 * WORKERS; turn += 1) {
      expect((await ask(node, 'get', '/.well-known/svc-node.json')).text).toContain('revoked');
      const { body: certified } = await certify(node, { executionId: randomUUID() });
      expect(textAt(certified, 'kid')).not.toBe(textAt(body, 'kid'));
    }
    await stop(node);
  });

  it('closes certification in every worker when the database goes back', async () => {
    writeFileSync(
      `${premises.env['KEYS_FILE'] ?? ''}.mark`,
      JSON.stringify({ count: 5, at: new Date().toISOString() }),
    );
    await database.query('update store_mark set count = 5');
    const node = await start();
    const statuses = async (): Promise<number[]> => {
      const found: number[] = [];
      // Connections are given to the workers in turn.
      for (let turn = 0; turn < 2 * WORKERS; turn += 1)
        found.push((await certify(node, { executionId: randomUUID() })).status);
      return found;
    };
    await database.query('update store_mark set count = 3');
    while (node.stdout().split('older than this node has seen').length <= WORKERS) await sleep(20);
    expect(await statuses()).toEqual([503, 503, 503, 503]);
    const reasons = ['store: is older than this node has seen: an operator must accept the restore'];
    expect(await readiness(node, 503, reasons)).toEqual({ status: 'not ready', reasons });

    expect((await runNode(['restore', 'accept'], premises.env)).stdout).toContain('accepted');
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect(await readiness(node, 200)).toEqual({ status: 'ready' });
    await stop(node);
  });

  it('finishes accepted requests of every worker on SIGTERM', async () => {
    const node = await start();
    const body = JSON.stringify(executionRequest({ executionId: randomUUID() }));
    const started = await Promise.all(
      [0, 1, 2, 3].map(async () => {
        const raw = await connectRaw(node.url);
        raw.send('POST /v1/cer/ai/certify HTTP/1.1\r\nHost: n\r\nContent-Type: application/json\r\n');
        raw.send(
          `Authorization: Bearer ${premises.key}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        await raw.until('100 Continue');
        raw.send(body.slice(0, 20));
        return raw;
      }),
    );
    node.kill('SIGTERM');
    const refused = async (): Promise<boolean> =>
      ask(node, 'get', '/health').then(
        () => false,
        (error: unknown) => /ECONNREFUSED/.test(String(error)),
      );
    while (!(await refused())) await sleep(5);
    const answers = await Promise.all(
      started.map(async (raw) => {
        raw.send(body.slice(20));
        return raw.ended();
      }),
    );
    expect(answers.map(statusOf)).toEqual([200, 200, 200, 200]);
    expect(await node.ended).toMatchObject({ code: 0, stderr: '' });
    expect((await database.query('select 1 as one from executions')).length).toBe(1);
  });

  it('ends with a reason when no worker starts', async () => {
    const node = await start();
    rmSync(premises.env['KEYS_FILE'] ?? '');
    for (const worker of [0, 1]) process.kill(pidsOf(node, worker)[0] ?? 0, 'SIGKILL');
    const { code, stderr } = await node.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('every worker ended, and none can be started')]);
  });

  it('reports a fault that prevents its start once', async () => {
    rmSync(premises.env['KEYS_FILE'] ?? '');
    const { code, stderr } = await runNode([], { ...premises.env, PORT: '0', NODE_WORKERS: String(WORKERS) });
    expect(code).toBe(1);
    expect(stderr.split('Restore it')).toHaveLength(2);
    expect(stderr).toContain('a worker ended before it listened');
  });
});

// A process that is stopped while it writes keeps the lock of an SQLite file: this is for PostgreSQL.
it('a node with a stopped worker is not ready', async () => {
  const database = await postgresTestDatabase();
  const premises = await premisesOn(database);
  const node = await startNodeProcess({ ...premises.env, NODE_WORKERS: String(WORKERS) });
  await node.until('"msg":"all workers listen"');
  const [pid = 0] = pidsOf(node, 1);
  process.kill(pid, 'SIGSTOP');
  try {
    // It may have been given one connection; no further one.
    const taken = [await connectRaw(node.url), await connectRaw(node.url)];
    const reasons = ['workers: 1 of 2 do not answer'];
    expect(await readiness(node, 503, reasons)).toEqual({ status: 'not ready', reasons });
    const certified = await ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body: executionRequest() });
    expect(certified.status).toBe(200);
    for (const { socket } of taken) socket.destroy();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  node.kill('SIGTERM');
  expect(await node.ended).toMatchObject({ code: 0, stderr: '' });
  premises.remove();
  await database.remove();
});

/**
 * The answer of /ready once it has a status and these reasons. A worker that gets no processor time for seconds is reported
 * as one that does not answer: then it is asked again.
 */
async function readiness(node: NodeProcess, status: number, reasons: readonly string[] = []): Promise<unknown> {
  for (;;) {
    const answer = await ask(node, 'get', '/ready');
    const found = (answer.body as { readonly reasons?: readonly string[] }).reasons ?? [];
    if (answer.status === status && found.join() === reasons.join()) return answer.body;
    await sleep(20);
  }
}

/** Process ids that a worker had, the newest last. */
function pidsOf(node: NodeProcess, worker: number): readonly number[] {
  const lines = node.stdout().matchAll(/"worker":(\d+),"pid":(\d+),"msg":"a worker listens"/g);
  return [...lines].filter(([, index]) => Number(index) === worker).map(([, , pid]) => Number(pid));
}

function statusOf(answer: string): number {
  return Number(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}
