import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { parseCheckpoint } from '@cer/tlog/note';

import { ask, at } from '../ask.js';
import { until } from '../timestamps/timestamping-node.js';
import { loggingNode, proofOf, type LoggingNode } from './logging-node.js';
import { startTestWitness, type TestWitness, type WitnessMood } from './test-witness.js';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function witnessed(now?: () => Date): Promise<{ readonly witness: TestWitness; readonly node: LoggingNode }> {
  const witness = await startTestWitness();
  cleanUps.push(() => witness.close());
  const node = await loggingNode({ policy: `${witness.line}quorum w1\n`, ...(now !== undefined && { now }) });
  cleanUps.push(() => node.close());
  return { witness, node };
}

async function publishedSize(node: LoggingNode, size: number): Promise<number> {
  const { text } = await until(
    () => ask(node.node, 'get', '/log/checkpoint'),
    (answer) => answer.status === 200 && parseCheckpoint(answer.text).size >= size,
  );
  return parseCheckpoint(text).size;
}

describe('a log with a witness', () => {
  it('is published with its cosignature, as it grows', async () => {
    const { node } = await witnessed();
    node.start();
    for (const size of [1, 2, 3]) {
      const hash = await node.certify();
      expect(await publishedSize(node, size)).toBe(size);
      const { body } = await proofOf(node.node, hash);
      expect(at(body, 'proof')).toMatch(/\n— node\.example\/log \S+\n— witness\.example\/w1 \S+\n$/);
    }
  });

  it.each<WitnessMood>(['good', 'away'])('is published after the clock was set back while it was %s', async (mood) => {
    let aheadMs = 86_400_000;
    const { node, witness } = await witnessed(() => new Date(Date.now() + aheadMs));
    node.start();
    await node.certify();
    await publishedSize(node, 1);
    witness.mood = mood;
    const before = witness.asked;
    await node.certify();
    await until(
      () => witness.asked,
      (asked) => asked > before,
    );
    witness.mood = 'good';
    aheadMs = 0;
    await node.certify();
    expect(await publishedSize(node, 3)).toBe(3);
  });

  it('has an age of 0 after the clock was set back', async () => {
    let aheadMs = 86_400_000;
    const { node } = await witnessed(() => new Date(Date.now() + aheadMs));
    const worker = node.start();
    await node.certify();
    await publishedSize(node, 1);
    await worker.stop();
    aheadMs = 0;
    const { text } = await ask(node.node, 'get', '/metrics');
    expect(text).toMatch(/^cer_log_seconds_since_published\{log="receipts"\} 0$/m);
  });

  it.each<WitnessMood>(['away', 'slow', 'garbage', 'other note'])('is not published while it is %s', async (mood) => {
    const { node, witness } = await witnessed();
    node.start();
    await node.certify();
    await publishedSize(node, 1);
    witness.mood = mood;
    const before = witness.asked;
    const hash = await node.certify();
    await until(
      () => witness.asked,
      (asked) => asked > before,
    );
    expect(await proofOf(node.node, hash)).toMatchObject({ status: 404, body: { reasonCode: 'LOG_PENDING' } });
    expect(await publishedSize(node, 1)).toBe(1);
    witness.mood = 'good';
    expect(await publishedSize(node, 2)).toBe(2);
  });

  it('is published once a witness knows it, after a warning', async () => {
    const { node, witness } = await witnessed();
    witness.mood = 'stranger';
    node.start();
    await node.certify();
    const [warning] = await until(
      () => node.node.log.filter((line) => line.includes('a witness did not cosign')),
      ({ length }) => length > 0,
    );
    expect(JSON.parse(warning ?? '')).toMatchObject({
      ...{ witness: 'w1', log: 'node.example/log' },
      reason: 'it does not know the log: give it the key of the log',
    });
    witness.mood = 'good';
    expect(await publishedSize(node, 1)).toBe(1);
  });

  it('ignores lines of strangers', async () => {
    const { node, witness } = await witnessed();
    witness.mood = 'many lines';
    node.start();
    await node.certify();
    await publishedSize(node, 1);
    const { text } = await ask(node.node, 'get', '/log/checkpoint');
    expect(text.match(/^— /gm)).toHaveLength(2);
  });

  it('halts after the witness saw another history, still certifies', async () => {
    const { node, witness } = await witnessed();
    node.start();
    await node.certify();
    await publishedSize(node, 1);
    witness.mood = 'fork';
    await node.certify();
    const { body } = await until(
      () => ask(node.node, 'get', '/ready'),
      ({ text }) => text.includes('log of receipts: LOG_FORK'),
    );
    // The log of epochs meets the same witness: whether it grew since is a matter of time.
    const warnings = ['log of receipts: LOG_FORK', 'log of epochs: LOG_FORK'];
    expect([warnings, warnings.slice(0, 1)].map((each) => ({ status: 'ready', warnings: each }))).toContainEqual(body);
    expect(await node.certify()).toMatch(/^sha256:/);
  });
});

describe('a database restored from an older copy', () => {
  it('makes no head, warns, and certifies on', async () => {
    const witness = await startTestWitness();
    const database = await sqliteTestDatabase();
    const keysFolder = mkdtempSync(join(tmpdir(), 'cer-log-'));
    cleanUps.push(
      () => witness.close(),
      database.remove,
      () => {
        rmSync(keysFolder, { recursive: true });
      },
    );
    const run = async (isFirst: boolean, work: (node: LoggingNode) => Promise<void>): Promise<void> => {
      const node = await loggingNode({
        database,
        keysFolder,
        isNewFolder: isFirst,
        policy: `${witness.line}quorum w1\n`,
      });
      try {
        node.start();
        await work(node);
      } finally {
        await node.close();
      }
    };
    const copy = join(keysFolder, 'copy.sqlite');
    await run(true, async (node) => {
      await node.certify();
      await publishedSize(node, 1);
    });
    copyFileSync(database.path, copy);
    await run(false, async (node) => {
      await node.certify();
      await publishedSize(node, 2);
    });
    copyFileSync(copy, database.path);
    await run(false, async (node) => {
      const hash = await node.certify();
      await until(
        () => ask(node.node, 'get', '/ready'),
        ({ text }) => text.includes('log of receipts: LOG_ROLLED_BACK'),
      );
      expect(await publishedSize(node, 1)).toBe(1);
      expect(await proofOf(node.node, hash)).toMatchObject({ status: 404, body: { reasonCode: 'LOG_PENDING' } });
      expect(await database.query('select size from log_notes where log_id = 1 order by size desc limit 1')).toEqual([
        { size: 1 },
      ]);
      expect(await node.certify()).toMatch(/^sha256:/);
    });
  });
});
