// A log of many leaves that all have their places, written directly into the database of a stopped node.
import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { leafHash } from '@cer/tlog/merkle';
import { growTree } from '../apps/node/dist/log/tree-growth.js';

const ENTRY_BYTES = 33;
const LEAVES_AT_ONCE = 65_536;
const SAID_EVERY_MS = 20_000;
export const LABEL =
  '{"appId":null,"at":"2026-01-02T03:04:05.678Z","bundleType":"cer.ai.execution.v1","kind":"certificate"}';

/** Entries are random: nothing that a node does with an old leaf depends on what it commits to. */
export async function fillLog(file, count, tenants) {
  const database = new Database(file);
  // A crash costs no more than the run. Indexes are made at the end, which is several times faster.
  database.pragma('synchronous = OFF');
  const find = database.prepare("select log_id from log_keys where role = 'receipts' and closed_json is null");
  const logId = find.pluck().get();
  const indexes = database
    .prepare("select name, sql from sqlite_master where type = 'index' and tbl_name = 'log_leaves' and sql is not null")
    .all();
  for (const { name } of indexes) database.exec(`drop index ${name}`);
  const write = writer(database, logId, tenants);
  const treeId = -logId;
  let tree = { treeId, frontier: { size: 0, peaks: [] }, tail: [] };
  let saidAt = performance.now();
  while (tree.frontier.size < count) {
    const start = tree.frontier.size;
    const block = randomBytes(Math.min(LEAVES_AT_ONCE, count - start) * ENTRY_BYTES);
    const entries = Array.from({ length: block.length / ENTRY_BYTES }, (_, at) => {
      const entry = block.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES);
      entry[0] = 1;
      return entry;
    });
    const { tiles, ...grown } = await growTree(tree, entries.map(leafHash), write.tileAt);
    write.step(start, entries, tiles, grown.frontier);
    tree = grown;
    if (performance.now() - saidAt < SAID_EVERY_MS) continue;
    console.log(`  ${tree.frontier.size} of ${count} leaves are filled in`);
    saidAt = performance.now();
  }
  for (const { sql } of indexes) database.exec(sql);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

function writer(database, logId, tenants) {
  const leaf = database.prepare(
    `insert into log_leaves (tenant_id, source, source_seq, log_id, log_index, number, entry, digest, seed, label_json)
     values ('tenant-' || cast(? as integer), 'record', ?, ${logId}, ?, ?, ?, randomblob(32), randomblob(32), '${LABEL}')`,
  );
  const tile = database.prepare(
    `insert into log_tiles (tree_id, level, n, data) values (?, ?, ?, ?)
     on conflict (tree_id, level, n) do update set data = excluded.data`,
  );
  const stored = database.prepare('select data from log_tiles where tree_id = ? and level = ? and n = ?').pluck();
  const head = database.prepare('update log_heads set size = ?, frontier = ? where log_id = ?');
  const step = database.transaction((start, entries, tiles, { size, peaks }) => {
    for (const [at, entry] of entries.entries()) {
      const index = start + at;
      leaf.run(index % tenants, -1 - index, index, Math.floor(index / tenants) + 1, entry);
    }
    for (const { treeId, level, index, data } of tiles) tile.run(treeId, level, index, data);
    head.run(size, Buffer.concat(peaks), logId);
  });
  return { step, tileAt: async (...place) => stored.get(...place) ?? null };
}
