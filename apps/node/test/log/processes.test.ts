import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';

import { executionRequest } from '@cer/cer-core/testing';
import { parseCheckpoint } from '@cer/tlog/note';
import { encodeHex } from '@cer/keys';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { ask, at, textAt } from '../ask.js';
import { premisesOn, runNode, startNodeProcess, type NodeProcess, type Premises } from '../node-process.js';
import { until } from '../timestamps/timestamping-node.js';

// Nodes in separate processes, with a log.

const ORIGIN = 'node.example/log';
const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

interface Fleet extends Premises {
  readonly database: TestDatabase;
  readonly start: (members?: Readonly<Record<string, string>>) => Promise<NodeProcess>;
  readonly command: (...args: string[]) => Promise<readonly [unknown, string]>;
}

async function fleetOn(makeDatabase: () => Promise<TestDatabase>): Promise<Fleet> {
  const database = await makeDatabase();
  const premises = await premisesOn(database);
  removals.push(async () => {
    premises.remove();
    await database.remove();
  });
  const env = { ...premises.env, VERIFY_URL: 'https://verify.example', LOG_EVERY_MS: '100' };
  return {
    ...premises,
    database,
    start: (members = {}) => startNodeProcess({ ...env, LOG_ORIGIN: ORIGIN, ...members }),
    command: async (...args) => {
      const { code, stdout, stderr } = await runNode(args, { ...env, LOG_ORIGIN: ORIGIN });
      return [code, `${stdout}${stderr}`.trim()];
    },
  };
}

async function certify(node: NodeProcess, key: string): Promise<string> {
  const body = executionRequest({ executionId: randomUUID() });
  // A node that was suspended within a transaction for too long has lost it, and answers 503.
  const answer = await until(
    () => ask(node, 'post', '/v1/cer/ai/certify', { key, body }),
    ({ status }) => status !== 503,
  );
  return textAt(answer.body, 'certificateHash');
}

/** The checkpoint of the receipts log, once it has some leaves. */
async function checkpoint(node: NodeProcess, size: number): Promise<ReturnType<typeof parseCheckpoint>> {
  const { text } = await until(
    () => ask(node, 'get', '/log/checkpoint'),
    (answer) => answer.status === 200 && parseCheckpoint(answer.text).size >= size,
  );
  return parseCheckpoint(text);
}

async function end(node: NodeProcess): Promise<void> {
  node.kill('SIGTERM');
  await node.ended;
}

describe('the commands of the log', () => {
  it('show its state, and close it for good', async () => {
    const fleet = await fleetOn(sqliteTestDatabase);
    expect(await fleet.command('log', 'status')).toEqual([0, 'the database has no log']);
    expect(await fleet.command('log', 'close')).toEqual([1, expect.stringContaining('the database has no open log')]);
    const node = await fleet.start();
    await certify(node, fleet.key);
    await certify(node, fleet.key);
    const { root } = await checkpoint(node, 2);
    await end(node);
    const [code, status] = await fleet.command('log', 'status');
    expect([code, status.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^node\.example\/log: open, size 2, published 2 at 20\d\d-\d\d-\d\dT[\d:.]+Z$/),
        expect.stringMatching(/^node\.example\/log\/epochs: open, size \d+, /),
      ],
    ]);

    expect(await fleet.command('log', 'close')).toEqual([0, `closed ${ORIGIN} and ${ORIGIN}/epochs`]);
    expect((await fleet.command('log', 'status'))[1]).toMatch(/^node\.example\/log: closed, size 2, /);
    expect(await fleet.command('log', 'close')).toEqual([1, expect.stringContaining('the database has no open log')]);
    await expect(fleet.start()).rejects.toThrow(/LOG_ORIGIN/);

    const next = await fleet.start({ LOG_ORIGIN: 'node.example/log-2' });
    await certify(next, fleet.key);
    expect((await checkpoint(next, 1)).origin).toBe('node.example/log-2');
    const { logs } = at((await ask(next, 'get', '/.well-known/svc-log.json')).body, 'statement') as {
      readonly logs: readonly { readonly origin: string; readonly closed: unknown }[];
    };
    expect(logs.find(({ origin }) => origin === ORIGIN)?.closed).toMatchObject({
      size: 2,
      root: `sha256:${encodeHex(root)}`,
    });
    await end(next);
  });

  it('let a closed log grow no more, where a node runs on', async () => {
    const fleet = await fleetOn(sqliteTestDatabase);
    const node = await fleet.start();
    await certify(node, fleet.key);
    await checkpoint(node, 1);
    expect((await fleet.command('log', 'close'))[0]).toBe(0);
    await certify(node, fleet.key);
    const { body } = await until(
      () => ask(node, 'get', '/ready'),
      (answer) => answer.text.includes('LOG_CLOSED'),
    );
    expect(body).toMatchObject({ status: 'ready', warnings: expect.arrayContaining(['log of receipts: LOG_CLOSED']) });
    await end(node);
    expect((await fleet.command('log', 'status'))[1]).toMatch(/^node\.example\/log: closed, size 1, published 1 /);

    const next = await fleet.start({ LOG_ORIGIN: 'node.example/log-2' });
    // The certificate after the closing.
    expect((await checkpoint(next, 1)).origin).toBe('node.example/log-2');
    await end(next);
  });

  it('promise no receipt of a closed log that waits for its place', async () => {
    const fleet = await fleetOn(sqliteTestDatabase);
    const node = await fleet.start({ LOG_EVERY_MS: '600000' });
    await until(
      () => ask(node, 'get', '/log/checkpoint'),
      ({ status }) => status === 200,
    );
    const body = executionRequest({ executionId: randomUUID() });
    const { timestamp } = at(
      (await ask(node, 'post', '/v1/cer/ai/certify', { key: fleet.key, body })).body,
      'receipt',
    ) as {
      readonly timestamp: string;
    };
    await end(node);
    expect((await fleet.command('log', 'close'))[0]).toBe(0);
    const next = await fleet.start({ LOG_ORIGIN: 'node.example/log-2' });
    const { logs } = at((await ask(next, 'get', '/.well-known/svc-log.json')).body, 'statement') as {
      readonly logs: readonly { readonly origin: string; readonly closed: unknown }[];
    };
    expect(logs.find(({ origin }) => origin === ORIGIN)?.closed).toMatchObject({ size: 0, at: timestamp });
    await end(next);
  });
});

/** Certifies until the node has the lease of the log, and suspends it then. */
async function suspendWithLease(
  fleet: Fleet,
  node: NodeProcess,
): Promise<{ waiting: Promise<string>[]; leaves: number }> {
  const waiting: Promise<string>[] = [];
  let leaves = 0;
  for (let isHeld = false; !isHeld;) {
    node.kill('SIGCONT');
    await certify(node, fleet.key);
    waiting.push(certify(node, fleet.key));
    leaves += 2;
    node.kill('SIGSTOP');
    isHeld = (await fleet.database.query(`select 1 from leases where name = 'log'`)).length > 0;
  }
  return { waiting, leaves };
}

describe("a node killed with the log's lease", () => {
  it('keeps the others away for ten seconds at most', async () => {
    const fleet = await fleetOn(postgresTestDatabase);
    expect((await fleet.command('log', 'init'))[0]).toBe(0);
    const first = await fleet.start();
    const { waiting } = await suspendWithLease(fleet, first);
    const lost = Promise.allSettled(waiting);
    first.kill('SIGKILL');
    await first.ended;
    await lost;
    const [lease] = await fleet.database.query(
      `select expires_ms - extract(epoch from clock_timestamp()) * 1000 as left from leases where name = 'log'`,
    );
    expect(Number(lease?.['left'] ?? 0)).toBeLessThanOrEqual(10_000);
    // The lease of the killed process ends by itself.
    const second = await fleet.start();
    await certify(second, fleet.key);
    const [leaves] = await fleet.database.query('select count(*) as n from log_leaves');
    await checkpoint(second, Number(leaves?.['n']));
    await end(second);
  });
});

describe("a node suspended with the log's lease", () => {
  it('resumes after another node took over, with one history', async () => {
    const fleet = await fleetOn(postgresTestDatabase);
    expect((await fleet.command('log', 'init'))[0]).toBe(0);
    const first = await fleet.start();
    await certify(first, fleet.key);
    await checkpoint(first, 1);
    const { waiting, leaves } = await suspendWithLease(fleet, first);
    let size = 1 + leaves;
    await fleet.database.query(`update leases set expires_ms = 0 where name = 'log'`);

    const second = await fleet.start();
    await Promise.all(Array.from({ length: 10 }, () => certify(second, fleet.key)));
    size += 10;
    const { text } = await until(
      () => ask(second, 'get', '/log/checkpoint'),
      (answer) => answer.status === 200 && parseCheckpoint(answer.text).size >= 11,
    );
    first.kill('SIGCONT');
    await Promise.all([...waiting, certify(first, fleet.key), certify(second, fleet.key)]);
    size += 2;

    for (const node of [first, second]) {
      expect((await checkpoint(node, size)).size).toBe(size);
      expect(node.stdout()).not.toMatch(/LOG_FORK|LOG_ROLLED_BACK/);
    }
    expect(parseCheckpoint(text).size).toBeLessThanOrEqual(size);
    const places = await fleet.database.query('select log_index, number from log_leaves order by log_index');
    const inOrder = Array.from({ length: size }, (_, index) => index);
    expect(places.map((row) => Number(row['log_index']))).toEqual(inOrder);
    expect(places.map((row) => Number(row['number']))).toEqual(inOrder.map((index) => index + 1));
    for (const node of [first, second]) await end(node);
  });
});
