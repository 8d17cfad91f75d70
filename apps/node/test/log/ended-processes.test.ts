import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

import { executionRequest } from '@cer/cer-core/testing';
import { Secret } from '@cer/http-service/config';
import { mapRoot, parseEpoch, tenantHeadValue } from '@cer/tlog/epoch';
import { leafHash, treeOfLeafHashes } from '@cer/tlog/merkle';
import { parseCheckpoint } from '@cer/tlog/note';
import { TILE_WIDTH, tilesMatch } from '@cer/tlog/tiles';
import { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import { treeOfLog } from '../../src/log/log-tree.js';
import type { LogRow } from '../../src/store/index.js';
import { StoreError } from '../../src/store/ports/store-error.js';
import { ask } from '../ask.js';
import { runMain } from '../node-process.js';
import { loggingNode, ORIGIN, type LoggingNode } from './logging-node.js';
import { takeLogTurn } from './log-turn.js';
import { startTestWitness } from './test-witness.js';

// One process of the log is ended after each of its steps (sequencing, epoch, publishing). The next one must continue.

const ADMIN_SECRET = 'secret of the test administrator';
/** `CER_TESTS=long` kills at every step, again and again; else at some of them. */
const [KILLS, STRIDE] = process.env['CER_TESTS'] === 'long' ? [200, 1] : [8, 13];
/** Turns after which a whole log has nothing left to do. */
const MAX_LAST_TURNS = 10;
const removals: (() => Promise<void>)[] = [];
let program: string;
beforeAll(async () => {
  // Within the checkout: external packages are found from there.
  const parent = join(__dirname, '../../../../node_modules/.cache');
  mkdirSync(parent, { recursive: true });
  program = join(mkdtempSync(join(parent, 'log-turn-')), 'process.mjs');
  await build({
    ...{ entryPoints: [join(__dirname, 'log-turn-process.ts')], outfile: program },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' },
  });
});
afterAll(() => {
  rmSync(join(program, '..'), { recursive: true });
});
afterEach(async () => {
  for (const remove of removals.splice(0).reverse()) await remove();
});

type Turn = (endsAt: number) => Promise<boolean>;

/** A node whose log is sequenced by others, in two tenants, with a witness. */
class Site {
  readonly database: TestDatabase;
  readonly node: LoggingNode;
  readonly #otherKey: string;
  readonly #deletable: string[] = [];
  #rounds = 0;

  private constructor(database: TestDatabase, node: LoggingNode, otherKey: string) {
    this.database = database;
    this.node = node;
    this.#otherKey = otherKey;
  }

  static async open(makeDatabase: () => Promise<TestDatabase>): Promise<Site> {
    const database = await makeDatabase();
    removals.push(() => database.remove());
    const witness = await startTestWitness();
    removals.push(witness.close);
    const policy = `${witness.line}quorum w1\n`;
    const node = await loggingNode({ database, policy, adminSecret: new Secret(ADMIN_SECRET) });
    removals.push(node.close);
    return new Site(database, node, await node.node.newKey());
  }

  /** Leaves with places up to the one that fills the first tile: the next turn writes tiles too. */
  async fillTile(): Promise<void> {
    const { node, key } = this.node;
    const lines = upTo(TILE_WIDTH - 1).map((at) => JSON.stringify(executionRequest({ executionId: `tile-${at}` })));
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const answer = await ask(node, 'post', '/v1/cer/ai/certify-batch', { key, headers, body: lines.join('\n') });
    expect(answer.text.match(/"status":200/g)).toHaveLength(lines.length);
    expect(await this.abandoned(Infinity)).toBe(true);
    expect((await this.node.node.store.log.head(this.node.setup.log.receipts.logId)).size).toBe(lines.length);
  }

  /** The work of a turn: leaves of two tenants, sometimes a deletion. The lease of the ended process has expired. */
  async prepare(): Promise<void> {
    await this.database.query(`update leases set expires_ms = 0 where name = 'log'`);
    const [waiting] = await this.database.query('select count(*) as n from log_leaves where log_index is null');
    if (Number(waiting?.['n']) > 0) return;
    this.#rounds += 1;
    this.#deletable.push(await this.node.certify());
    await this.node.certify({}, this.#otherKey);
    if (this.#rounds % 4 !== 0) return;
    const hash = encodeURIComponent(this.#deletable.shift() ?? '');
    const headers = { 'X-Admin-Secret': ADMIN_SECRET };
    expect((await ask(this.node.node, 'post', `/v1/admin/records/${hash}/delete`, { headers })).status).toBe(200);
  }

  /** A turn that is left at a step: from then on nothing reaches the database or the witness. */
  readonly abandoned: Turn = (endsAt) =>
    takeLogTurn({
      ...{ databaseUrl: this.database.url, keysFolder: this.node.keysFolder, origin: ORIGIN, endsAt },
      end: () => {
        throw new StoreError('STORE_CLOSED', 'the process has ended');
      },
    });

  readonly killed: Turn = async (endsAt) => {
    const args = [this.database.url, this.node.keysFolder, ORIGIN, String(endsAt)];
    const { code, signal, stderr } = await runMain(program, args, {});
    expect([code, signal, stderr]).toEqual(code === 0 ? [0, null, ''] : [null, 'SIGKILL', '']);
    return code === 0;
  };
}

async function numbers(database: TestDatabase, sql: string): Promise<readonly number[]> {
  return (await database.query(sql)).map((row) => Number(row['n']));
}

function upTo(count: number, first = 0): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

/** All leaves have their places, and all that was ever signed is of one tree. */
async function expectOneHistory(site: Site): Promise<void> {
  const { database, node } = site;
  const { store } = node.node;
  const { receipts, epochs, tagOf } = node.setup.log;
  expect(await database.query('select 1 from log_leaves where log_index is null')).toEqual([]);
  expect(await database.query('select 1 from log_deletions where done = 0')).toEqual([]);
  const unlogged = `select seq from records where not exists (select 1 from log_leaves l where l.source = 'record' and l.source_seq = records.seq)`;
  expect(await database.query(unlogged)).toEqual([]);

  const leaves = await database.query('select tenant_id, number, log_index, entry from log_leaves order by log_index');
  expect(leaves.map((row) => Number(row['log_index']))).toEqual(upTo(leaves.length));
  const ofTenants = new Map<string, (typeof leaves)[number][]>();
  for (const row of leaves) {
    const tenantId = String(row['tenant_id']);
    ofTenants.set(tenantId, [...(ofTenants.get(tenantId) ?? []), row]);
  }
  for (const own of ofTenants.values()) {
    expect(own.map((row) => Number(row['number']))).toEqual(upTo(own.length, 1));
  }

  const entries = await store.log.entries(receipts.logId, 0, leaves.length);
  const ended = await store.logEpochs.epochs(epochs.logId, 0, 1_000_000);
  for (const [row, all] of [
    [receipts, entries],
    [epochs, ended.map(({ entry }) => entry)],
  ] as const) {
    await expectOneTree(site, row, all.map(leafHash));
  }

  const parsed = ended.map(({ entry }) => parseEpoch(entry));
  expect(parsed.map(({ epoch }) => epoch)).toEqual(upTo(parsed.length));
  expect(parsed.slice(1).map(({ from }) => from)).toEqual(parsed.slice(0, -1).map(({ to }) => to));
  const hashes = entries.map(leafHash);
  for (const { log, tenants } of parsed) {
    expect(log.root).toEqual(treeOfLeafHashes(hashes.slice(0, log.size)).root);
    const elements = [...ofTenants].flatMap(([tenantId, own]) => {
      const held = own.filter((row) => Number(row['log_index']) < log.size).map((row) => Number(row['log_index']));
      const { root } = treeOfLeafHashes(held.map((index) => hashes[index] ?? new Uint8Array(0)));
      return held.length === 0 ? [] : [{ key: tagOf(tenantId), value: tenantHeadValue({ size: held.length, root }) }];
    });
    expect(tenants).toEqual(mapRoot(elements));
  }
}

async function expectOneTree({ database, node }: Site, row: LogRow, hashes: readonly Uint8Array[]): Promise<void> {
  const { store } = node.node;
  const { size, halted } = await store.log.head(row.logId);
  expect([row.role, size, halted]).toEqual([row.role, hashes.length, null]);
  const { root } = treeOfLeafHashes(hashes);
  expect(await tilesMatch({ size, root }, treeOfLog(store, row, size))).toBe(true);
  const notes = await database.query(`select size as n, note from log_notes where log_id = ${row.logId} order by size`);
  expect(notes.length).toBeGreaterThan(1);
  for (const { n, note } of notes) {
    const checkpoint = parseCheckpoint(String(note));
    expect(checkpoint.size).toBe(Number(n));
    expect(checkpoint.root).toEqual(treeOfLeafHashes(hashes.slice(0, checkpoint.size)).root);
  }
  expect((await store.logNotes.newestPublished(row.logId))?.size).toBe(size);
}

/**
 * One after the other until nothing is left to do. A log that an ended process left inconsistent does not get there.
 */
async function finish(site: Site): Promise<void> {
  const left = `select (select count(*) from log_leaves where log_index is null) +
    (select count(*) from log_deletions where done = 0) as n`;
  for (let turns = 0; turns === 0 || (await numbers(site.database, left))[0] !== 0; turns += 1) {
    expect(turns).toBeLessThan(MAX_LAST_TURNS);
    await site.database.query(`update leases set expires_ms = 0 where name = 'log'`);
    expect(await site.abandoned(Infinity)).toBe(true);
  }
}

describe.each([
  ['SQLite', sqliteTestDatabase],
  ['PostgreSQL', postgresTestDatabase],
])('a log on %s', (_name, makeDatabase) => {
  it('has one history at whichever step a process ends', async () => {
    const site = await Site.open(makeDatabase);
    await site.fillTile();
    let endsAt = 0;
    do {
      endsAt += 1;
      await site.prepare();
    } while (!(await site.abandoned(endsAt)));
    await finish(site);
    await expectOneHistory(site);
    // Fewer would mean that the steps are not counted.
    expect(endsAt).toBeGreaterThan(60);
  });

  it(
    'has one history when processes are killed at their steps',
    async () => {
      const site = await Site.open(makeDatabase);
      let endsAt = 0;
      let steps = 0;
      for (let kills = 0; kills < KILLS;) {
        endsAt += STRIDE;
        await site.prepare();
        // After the last step again from the first.
        if (await site.killed(endsAt)) endsAt = 0;
        else kills += 1;
        steps = Math.max(steps, endsAt);
      }
      await finish(site);
      await expectOneHistory(site);
      process.stderr.write(`${KILLS} kills at ${steps} steps: one history\n`);
    },
    KILLS * 60_000,
  );
});
