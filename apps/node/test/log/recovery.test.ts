import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';

import { jcsV1, type JsonValue } from '@cer/canonical-json';
import { nextKeyHistoryEntry } from '@cer/cer-core/logs';
import { executionRequest, TEST_NODE_ID } from '@cer/cer-core/testing';
import { silentLogger } from '@cer/http-service/process';
import { encodeBase64Url, toSpkiBase64 } from '@cer/keys';
import { testSigner } from '@cer/keys/testing';
import { parseLogPolicy } from '@cer/tlog';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { haltedLogSource } from '../../src/alerts/sources.js';
import { backfillLog } from '../../src/commands/backfill-log.js';
import { acceptLogStatement } from '../../src/log/accept-log-statement.js';
import { mirrorAt, type LogMirror } from '../../src/log/log-mirror.js';
import { openMarkFile } from '../../src/restore-mark/mark-file.js';
import { watchStore } from '../../src/restore-mark/restored-store.js';
import { publishedStatement } from '../../src/log/log-statement.js';
import { recoverLog, type RecoveredLog } from '../../src/log/recover-log.js';
import { ask, textAt } from '../ask.js';
import { startTestNode } from '../test-node.js';
import { until } from '../timestamps/timestamping-node.js';
import { loggingNode, proofOf, type LoggingNode } from './logging-node.js';
import { startTestWitness } from './test-witness.js';

const opened: { close: () => Promise<void> }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'cer-recovery-'));
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function sizeAt(node: LoggingNode, size: number): Promise<void> {
  const { receipts } = node.setup.log;
  const notes = node.node.store.logNotes;
  await until(
    async () => (await notes.newestPublished(receipts.logId))?.size === size,
    (isThere) => isThere,
  );
}

async function recover(node: LoggingNode, policy: string, mirror: (role: 'receipts' | 'epochs') => LogMirror) {
  const { store } = node.node;
  const { receipts, epochs, tagOf } = node.setup.log;
  const deps = { store, policy: parseLogPolicy(policy), tagOf, now: () => new Date() };
  const found: RecoveredLog[] = [];
  for (const row of [receipts, epochs]) found.push(await recoverLog(deps, row, mirror(row.role)));
  return found;
}

describe('a log in a restored database', () => {
  it('continues after it took the missing entries from a mirror', async () => {
    const witness = await startTestWitness();
    opened.push(witness);
    const policy = `${witness.line}quorum w1\n`;
    const [database, copy] = [await sqliteTestDatabase(), await sqliteTestDatabase()];
    const first = await loggingNode({
      database,
      keysFolder: folder,
      isNewFolder: true,
      policy,
      epochEverySeconds: 0.1,
    });
    let worker = first.start();
    const early = await first.certify();
    await first.certify();
    await sizeAt(first, 2);
    await worker.stop();
    const pending = await first.certify();
    mkdirSync(dirname(copy.path));
    await database.query(`vacuum into '${copy.path}'`);
    const lost = await first.certify();
    worker = first.start();
    await sizeAt(first, 4);
    await worker.stop();

    const restored = await loggingNode({ database: copy, keysFolder: folder, policy, epochEverySeconds: 0.1 });
    worker = restored.start();
    const head = () => restored.node.store.log.head(restored.setup.log.receipts.logId);
    await until(head, ({ halted }) => halted === 'LOG_ROLLED_BACK');
    await worker.stop();
    expect((await head()).size).toBe(2);
    // The alert that operators get.
    expect(await haltedLogSource(restored.node.store, restored.setup.log).observe(new Date())).toContainEqual({
      ...{ type: 'log.halted', subject: 'log of receipts: LOG_ROLLED_BACK', isFiring: true, details: {} },
    });

    const served = (role: 'receipts' | 'epochs') => mirrorAt(first.node.url, role);
    const broken: LogMirror = {
      ...served('receipts'),
      tile: async (name) => (await served('receipts').tile(name)).map((byte) => byte ^ 1),
    };
    await expect(recover(restored, policy, () => broken)).rejects.toThrow('--from: ');
    const stranger = policy.replace('quorum w1', 'group two all w1\nquorum two').replace('two all w1', 'two 1 w1');
    expect(await recover(restored, stranger, served)).toMatchObject([{ from: 2, to: 4, opened: 1 }, { opened: 0 }]);
    expect(await recover(restored, policy, served)).toMatchObject([{ from: 4, to: 4, opened: 0 }, {}]);

    const later = await restored.certify();
    worker = restored.start();
    await sizeAt(restored, 5);
    await worker.stop();
    expect((await head()).halted).toBeNull();
    expect(await haltedLogSource(restored.node.store, restored.setup.log).observe(new Date())).toEqual([]);
    for (const hash of [early, pending, later]) expect((await proofOf(restored.node, hash)).status).toBe(200);
    expect((await proofOf(restored.node, lost)).status).toBe(404);
    // The old database has another history now.
    const behind = (role: 'receipts' | 'epochs') => mirrorAt(restored.node.url, role);
    await first.certify();
    await first.setup.sequencer.integrate();
    await first.certify();
    await first.setup.sequencer.integrate();
    await expect(recover(first, policy, behind)).rejects.toThrow('is older than the database');
    for (const node of [restored, first]) await node.close();
    for (const each of [database, copy]) await each.remove();
  });
});

describe('a log without witnesses in a restored database', () => {
  it('signs nothing before the restore is accepted', async () => {
    const node = await loggingNode();
    opened.push(node);
    const { store } = node.node;
    const { logId } = node.setup.log.receipts;
    let worker = node.start();
    await node.certify();
    await sizeAt(node, 1);
    await worker.stop();

    const file = openMarkFile(join(folder, 'mark'));
    file.write({ count: 1_000_000, at: '2026-05-01T00:00:00.000Z' });
    const watched = watchStore({ store, file, logger: silentLogger() });
    expect(await watched.check()).toBe(false);
    const turns: unknown[] = [];
    worker = node.start({
      assertAccepted: async () => {
        turns.push(await store.log.head(logId));
        await watched.assertAccepted();
      },
    });
    // Attested again by a client, as during the time until an operator accepts.
    const hash = await node.certify();
    await until(
      async () => turns.length,
      (count) => count >= 3,
    );
    expect(turns.at(-1)).toMatchObject({ size: 1 });
    file.write(await store.mark.advance('2026-05-01T00:00:01.000Z', 1, 1_000_000));
    await sizeAt(node, 2);
    expect((await proofOf(node.node, hash)).status).toBe(200);
  });
});

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('receipts from before the log on %s', (_name, makeDatabase: () => Promise<TestDatabase>) => {
  it('become leaves once, and their proofs accuse no one', async () => {
    const database = await makeDatabase();
    const before = await startTestNode({ database });
    const key = await before.newKey();
    const certify = async (body: object): Promise<string> =>
      textAt((await ask(before, 'post', '/v1/cer/ai/certify', { key, body })).body, 'certificateHash');
    const plain = await certify(executionRequest({ executionId: 'plain' }));
    const withheld = await certify(executionRequest({ executionId: 'withheld', parameters: { secret: 'one' } }));
    const gone = await certify(executionRequest({ executionId: 'gone' }));
    await before.close();
    await database.query(`update records set visibility = 'deleted' where certificate_hash = '${gone}'`);

    const node = await loggingNode({ database });
    const stored = await backfillLog(node.node.store);
    expect(stored).toBeGreaterThanOrEqual(2);
    expect(await backfillLog(node.node.store)).toBe(0);
    node.start();
    await sizeAt(node, stored);
    for (const hash of [plain, withheld]) {
      const { status, body } = await proofOf(node.node, hash);
      expect([status, Object.keys(body as object)]).toEqual([200, ['proof']]);
    }
    await node.close();
    await database.remove();
  });
});

describe('a log statement that was signed elsewhere', () => {
  it("is published when a live root signed the node's promise", async () => {
    const node = await loggingNode();
    opened.push(node);
    const { store } = node.node;
    const root = testSigner('root of the node');
    const added = { kid: root.kid, publicKey: toSpkiBase64(root.publicKey) };
    const change = { type: 'root-added', root: added } as const;
    const issuedAt = '2026-01-01T00:00:00.000Z';
    const entry = nextKeyHistoryEntry({ nodeId: TEST_NODE_ID, entries: [] }, { issuedAt, change });
    const rows = await store.log.logs();
    const deps = { logNotes: store.logNotes, rows, nodeId: TEST_NODE_ID, entries: [entry] };
    const { statement } = await publishedStatement(deps, new Date());
    const signedBy = async (signer: typeof root, of: object = statement): Promise<JsonValue> => {
      const bytes = new TextEncoder().encode(jcsV1.canonicalize(of));
      const signatures = [{ kid: signer.kid, signature: encodeBase64Url(await signer.sign(bytes)) }];
      return JSON.parse(JSON.stringify({ statement: of, signatures })) as JsonValue;
    };
    await expect(acceptLogStatement(deps, await signedBy(testSigner('stranger')))).rejects.toThrow('not a live root');
    const other = { ...statement, version: 7 };
    await expect(acceptLogStatement(deps, await signedBy(root, other))).rejects.toThrow('statement: is not the one');
    const forged = JSON.parse(
      JSON.stringify(await signedBy(root)).replace(statement.issuedAt, '2031-01-01T00:00:00.000Z'),
    ) as JsonValue;
    await expect(acceptLogStatement(deps, forged)).rejects.toThrow('signatures: do not verify');
    expect(await acceptLogStatement(deps, await signedBy(root))).toBe(1);
    const { body } = await ask(node.node, 'get', '/.well-known/svc-log.json');
    expect(body).toMatchObject({ statement: { version: 1 }, signatures: [{ kid: root.kid }] });
    await expect(acceptLogStatement(deps, await signedBy(root))).rejects.toThrow('is signed already');
  });
});
