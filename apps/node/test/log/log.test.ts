import { afterEach, describe, expect, it } from '@jest/globals';

import type { JsonObject } from '@cer/canonical-json';
import { judgeLogProof, parseLogPolicy, type LogVerdict } from '@cer/tlog';
import { parseCheckpoint } from '@cer/tlog/note';

import { ask, at, objectAt, textAt } from '../ask.js';
import { startTestNode } from '../test-node.js';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { lookup, until } from '../timestamps/timestamping-node.js';
import { loggingNode, ORIGIN, proofOf, type LoggingNode } from './logging-node.js';

const opened: { close: () => Promise<void> }[] = [];
const databases: TestDatabase[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  for (const database of databases.splice(0)) await database.remove();
});

async function logging(makeDatabase: () => Promise<TestDatabase>): Promise<LoggingNode> {
  const database = await makeDatabase();
  databases.push(database);
  const node = await loggingNode({ database });
  opened.push(node);
  return node;
}

/** Judges the published proof of a certificate against its published receipt. */
async function judged(logging: LoggingNode, hash: string, key?: string): Promise<LogVerdict> {
  const { body } = await until(
    () => proofOf(logging.node, hash, key),
    ({ status }) => status === 200,
  );
  const record = (await lookup(logging.node, hash)).body;
  const receipt = objectAt(record, 'receipt') as JsonObject;
  return await judgeLogProof(
    { proof: textAt(body, 'proof') },
    {
      receipt,
      signature: textAt(record, 'signature'),
      receiptSeconds: Date.parse(textAt(record, 'receipt', 'timestamp')) / 1000,
    },
    { policy: parseLogPolicy(logging.policy()), mmdSeconds: 3600 },
  );
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('a node with a log on %s', (_name, makeDatabase) => {
  it('proves every certificate by a published checkpoint', async () => {
    const node = await logging(makeDatabase);
    const hashes = await Promise.all(Array.from({ length: 5 }, () => node.certify()));
    node.start();
    for (const hash of hashes) {
      expect(await judged(node, hash)).toMatchObject({ status: 'included', code: null, origin: ORIGIN });
      expect(await judged(node, hash, node.key)).toMatchObject({ status: 'included', code: null });
    }
    const { text } = await ask(node.node, 'get', '/log/checkpoint');
    expect(parseCheckpoint(text)).toMatchObject({ origin: ORIGIN, size: 5 });
  });

  it('answers LOG_PENDING before the checkpoint', async () => {
    const node = await logging(makeDatabase);
    const hash = await node.certify();
    expect(await proofOf(node.node, hash)).toMatchObject({ status: 404, body: { reasonCode: 'LOG_PENDING' } });
    expect((await ask(node.node, 'get', '/log/checkpoint')).status).toBe(404);
  });
});

describe('a node without a log', () => {
  it('lets no client wait for completeness', async () => {
    const node = await startTestNode();
    opened.push(node);
    const { status, headers, body } = await ask(node, 'get', '/v1/log/completeness', { key: await node.newKey() });
    expect([status, headers['retry-after'], at(body, 'reasonCode')]).toEqual([404, undefined, undefined]);
  });
});
