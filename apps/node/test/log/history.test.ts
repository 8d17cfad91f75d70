import { afterEach, describe, expect, it } from '@jest/globals';

import type { JsonObject } from '@cer/canonical-json';
import { Secret } from '@cer/http-service/config';
import { parseLogPolicy, judgeLogProof } from '@cer/tlog';
import { parseEpoch } from '@cer/tlog/epoch';
import { readOpening } from '@cer/tlog/leaf';
import { leafHash } from '@cer/tlog/merkle';
import { parseCheckpoint } from '@cer/tlog/note';
import { decodeEntryBundle, openTileTree, tilesMatch, formatTilePath } from '@cer/tlog/tiles';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { newLeaf } from '../../src/log/new-leaf.js';
import type { Store } from '../../src/store/index.js';
import { ask, at, objectAt, textAt } from '../ask.js';
import { newRecord } from '../store/new-record.js';
import { lookup, until } from '../timestamps/timestamping-node.js';
import { loggingNode, proofOf, type LoggingNode, type LoggingOptions } from './logging-node.js';
import { completeness, packageOf, verdictOn } from './own-completeness.js';

const ADMIN_SECRET = 'secret of the test administrator';
const opened: { close: () => Promise<void> }[] = [];
const databases: TestDatabase[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  for (const database of databases.splice(0)) await database.remove();
});

async function logging(
  makeDatabase: () => Promise<TestDatabase>,
  options: Pick<LoggingOptions, 'epochEverySeconds' | 'now'> = {},
): Promise<LoggingNode> {
  const database = await makeDatabase();
  databases.push(database);
  const adminSecret = new Secret(ADMIN_SECRET);
  const node = await loggingNode({ database, epochEverySeconds: 0.5, adminSecret, ...options });
  opened.push(node);
  return node;
}

async function erase({ node }: LoggingNode, hash: string): Promise<void> {
  const path = `/v1/admin/records/${encodeURIComponent(hash)}/delete`;
  expect((await ask(node, 'post', path, { headers: { 'X-Admin-Secret': ADMIN_SECRET } })).status).toBe(200);
}

/** A record with its leaf, without the work of certifying. */
async function recordLogged(store: Store): Promise<void> {
  const facts = { kind: 'certificate', at: '2026-01-02T03:04:05.678Z', appId: null, bundleType: null } as const;
  const leaf = newLeaf('record', facts, { receipt: {}, signature: 'made up' });
  expect(await store.records.recordOnce({ ...newRecord(), leaves: [leaf] })).toEqual({ recorded: true });
}

/** Bytes that any reader of the log gets. */
async function bytesAt(node: LoggingNode, path: string): Promise<Uint8Array> {
  const answer = await fetch(`${node.node.url}${path}`);
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

async function published(node: LoggingNode, prefix: string, size: number) {
  const { text } = await until(
    () => ask(node.node, 'get', `${prefix}/checkpoint`),
    (answer) => answer.status === 200 && parseCheckpoint(answer.text).size >= size,
  );
  return parseCheckpoint(text);
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('the log on %s', (_name, makeDatabase) => {
  it('is read whole by its tiles, over a full tile', async () => {
    const node = await logging(makeDatabase);
    const count = 300;
    await Promise.all(Array.from({ length: count }, () => recordLogged(node.node.store)));
    node.start();
    const { size, root } = await published(node, '/log', count);
    expect(size).toBe(count);
    const readTile = (tile: { level: number; index: number; width: number }) =>
      bytesAt(node, `/log/${formatTilePath(tile)}`);
    expect(await tilesMatch({ size, root }, openTileTree(size, readTile))).toBe(true);
    const entries = [
      ...decodeEntryBundle(await bytesAt(node, '/log/tile/entries/000')),
      ...decodeEntryBundle(await bytesAt(node, '/log/tile/entries/001.p/44')),
    ];
    const hashes = Buffer.concat([await bytesAt(node, '/log/tile/0/000'), await bytesAt(node, '/log/tile/0/001.p/44')]);
    expect(Buffer.concat(entries.map(leafHash)).equals(hashes)).toBe(true);
    expect(new Set(entries.map(({ length }) => length))).toEqual(new Set([33]));
    for (const path of ['tile/0/001', 'tile/0/001.p/45', 'tile/0/0', 'tile/7/000', 'tile/entries/001.p/0', 'tile/x']) {
      expect([path, (await fetch(`${node.node.url}/log/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('proves that a tenant has all of its leaves', async () => {
    const node = await logging(makeDatabase);
    for (let count = 0; count < 4; count += 1) {
      await node.certify();
      await node.certify({}, await node.node.newKey());
    }
    node.start();
    const whole = await completeness(node, 4);
    expect(whole.lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(await verdictOn(node, whole)).toEqual({ end: 'valid', code: null });
    const dropped = { ...whole, lines: whole.lines.slice(1) };
    expect(await verdictOn(node, dropped)).toEqual({ end: 'valid', code: 'LOG_RANGE_INVALID' });
    const swapped = { ...whole, lines: whole.lines.toReversed() };
    expect(await verdictOn(node, swapped)).toEqual({ end: 'valid', code: 'LOG_RANGE_INVALID' });
    const { size } = await published(node, '/log/epochs', 1);
    const bundle = await bytesAt(node, `/log/epochs/tile/entries/000.p/${Math.min(size, 255)}`);
    const epochs = decodeEntryBundle(bundle).map(parseEpoch);
    expect(epochs.map(({ epoch }) => epoch)).toEqual(epochs.map((_, index) => index));
    expect(epochs.slice(1).map(({ from }) => from)).toEqual(epochs.slice(0, -1).map(({ to }) => to));
  });

  it('erases a pending or sequenced leaf and logs the deletion', async () => {
    const node = await logging(makeDatabase);
    const early = await node.certify();
    const kept = await node.certify();
    await erase(node, early);
    node.start();
    await until(
      () => proofOf(node.node, kept),
      ({ status }) => status === 200,
    );
    await erase(node, kept);
    const whole = await completeness(node, 4);
    expect(whole.lines.map(({ opening }) => readOpening(opening ?? null).form)).toEqual([
      'erased',
      'erased',
      'owner',
      'owner',
    ]);
    const deletes = whole.lines.slice(2).map(({ opening }) => at(opening, 'label', 'deletes'));
    expect(deletes).toEqual([[[1, 1]], [[2, 2]]]);
    expect(await verdictOn(node, whole)).toEqual({ end: 'valid', code: null });
    expect(await proofOf(node.node, kept)).toMatchObject({ status: 404, body: { reasonCode: 'RECORD_NOT_FOUND' } });
    const rows = await databases[0]?.query(
      'select seed, digest, label_json from log_leaves where deleted_seq is not null',
    );
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ seed: null, digest: null, label_json: null })));
  });

  it('proves nothing until an epoch has the deletion', async () => {
    const node = await logging(makeDatabase);
    const [hash] = [await node.certify(), await node.certify(), await node.certify()];
    const worker = node.start();
    await completeness(node, 3);
    await worker.stop();
    await erase(node, hash);
    const pending = await ask(node.node, 'get', '/v1/log/completeness', { key: node.key });
    expect(pending).toMatchObject({ status: 404, body: { reasonCode: 'LOG_PENDING' } });
    expect(pending.headers['retry-after']).toBe('60');
    const files = await packageOf(node);
    expect([...files.keys()].filter((name) => name.startsWith('log/'))).toEqual([]);
    node.start();
    const whole = await completeness(node, 4);
    expect(whole.lines.map(({ opening }) => readOpening(opening ?? null).form)).toEqual([
      'erased',
      ...['owner', 'owner', 'owner'],
    ]);
    expect(await verdictOn(node, whole)).toEqual({ end: 'valid', code: null });
  });

  it('leaves the proof out after a deletion beside it', async () => {
    const node = await logging(makeDatabase);
    const [hash] = [await node.certify(), await node.certify()];
    const worker = node.start();
    await completeness(node, 2);
    await worker.stop();
    // The range is chosen from leaves of which the first is deleted before it is opened.
    const { log } = node.node.store;
    const read = log.tenantLeaves.bind(log);
    log.tenantLeaves = async (...asked) => {
      const leaves = await read(...asked);
      log.tenantLeaves = read;
      await erase(node, hash);
      return leaves;
    };
    const files = await packageOf(node);
    expect([...files.keys()].filter((name) => name.startsWith('log/'))).toEqual([]);
    expect(files.has('manifest.sig')).toBe(true);
  });

  it('ends an epoch early for a deletion', async () => {
    let aheadMs = 0;
    const now = (): Date => new Date(Date.now() + aheadMs);
    const node = await logging(makeDatabase, { epochEverySeconds: 3600, now });
    const hash = await node.certify();
    aheadMs += 3600_000;
    node.start();
    await completeness(node, 1);
    await erase(node, hash);
    aheadMs += 60_000;
    const whole = await completeness(node, 2);
    expect(await verdictOn(node, whole)).toEqual({ end: 'valid', code: null });
  });

  it('refuses changes of published rows', async () => {
    const node = await logging(makeDatabase);
    await node.certify();
    node.start();
    await published(node, '/log', 1);
    await published(node, '/log/epochs', 1);
    for (const sql of [
      'update log_leaves set log_index = 7',
      'delete from log_leaves',
      "update log_notes set note = 'x'",
      'delete from log_epochs',
    ]) {
      await expect(databases[0]?.query(sql)).rejects.toHaveProperty('message', expect.stringContaining('append-only'));
    }
  });

  it('shows a leaf swapped or removed behind the database', async () => {
    const node = await logging(makeDatabase);
    const database = databases[0];
    const hashes = [await node.certify(), await node.certify(), await node.certify()];
    const worker = node.start();
    const { size, root } = await published(node, '/log', 3);
    await worker.stop();
    const readTile = (tile: { level: number; index: number; width: number }) =>
      bytesAt(node, `/log/${formatTilePath(tile)}`);
    expect(await tilesMatch({ size, root }, openTileTree(size, readTile))).toBe(true);
    for (const trigger of ['log_leaves_frozen', 'log_leaves_no_delete']) {
      await database?.query(`drop trigger ${trigger}${database.url.startsWith('sqlite:') ? '' : ' on log_leaves'}`);
    }
    await database?.query(
      'update log_leaves set entry = (select l.entry from log_leaves l where l.log_index = 2) where log_index = 1',
    );
    expect(await tilesMatch({ size, root }, openTileTree(size, readTile))).toBe(false);
    const { body } = await proofOf(node.node, hashes[0] ?? '');
    const record = (await lookup(node.node, hashes[0] ?? '')).body;
    const subject = {
      receipt: objectAt(record, 'receipt') as JsonObject,
      signature: textAt(record, 'signature'),
      receiptSeconds: Date.parse(textAt(record, 'receipt', 'timestamp')) / 1000,
    };
    const rules = { policy: parseLogPolicy(node.policy()), mmdSeconds: 3600 };
    const judged = await judgeLogProof({ proof: textAt(body, 'proof') }, subject, rules);
    expect(judged).toMatchObject({ status: 'invalid', code: 'LOG_INCLUSION_INVALID' });
    const dated = { ...subject, receipt: { ...subject.receipt, timestamp: '2020-01-01T00:00:00.000Z' } };
    expect(await judgeLogProof({ proof: textAt(body, 'proof') }, dated, rules)).toMatchObject({ status: 'invalid' });
    await database?.query('delete from log_leaves where log_index = 1');
    expect((await fetch(`${node.node.url}/log/tile/0/000.p/3`)).status).toBe(500);
  });

  it('has one history when two processes sequence it', async () => {
    const first = await logging(makeDatabase);
    const database = databases[0];
    if (database === undefined) throw new Error('no database');
    const second = await loggingNode({ database, keysFolder: first.keysFolder });
    opened.unshift(second);
    const certifying = Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? first : second).certify()),
    );
    // Without the lease: both turn at once, as after a process was suspended.
    const turns = [first, second].map(async (node) => {
      for (let turn = 0; turn < 20; turn += 1) await node.setup.sequencer.integrate();
    });
    await Promise.all([certifying, ...turns]);
    first.start();
    await published(first, '/log', 30);
    const rows = await database.query('select log_index from log_leaves order by log_index');
    expect(rows.map((row) => Number(row['log_index']))).toEqual(Array.from({ length: 30 }, (_, index) => index));
  });
});
