// A log of many leaves in a thousand tenants: how fast further leaves get a place, how long a proof and an epoch take.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { CERTIFY_BODY, load, observe } from './certify.mjs';
import { fillLog, LABEL } from './log-filling.mjs';
import { median } from './measure.mjs';

const TENANTS = 1_000;
const PROOFS = 50;
const MOST_PLACED = 400_000;
const CONNECTIONS = 64;
/** At least this many leaves get a place in a second, or the run is abandoned. */
const SLOWEST = 200;
const EPOCH_WITHIN_MS = 1_800_000;
const TURN_MS = 20;

/**
 * @param {{leaves: number, seconds: number, startNode: (more: object) => Promise<object>,
 *   stop: (node: object) => Promise<void>}} options startNode starts the node of one database, again with other settings
 *   after `stop`; seconds: how long it is under load
 */
export async function measureLeaves({ leaves, seconds, startNode, stop }) {
  let node = await startNode({ LOG_EPOCH_S: '3600' });
  const { file } = node;
  await stop(node);
  await timed(`${leaves} leaves were filled in`, () => fillLog(file, leaves, TENANTS));
  const placed = Math.min(leaves, MOST_PLACED);
  insertWaiting(file, leaves, placed);

  node = await startNode({ LOG_EPOCH_S: '3600' });
  const placing = await placingOf(node, leaves, placed);
  const proofs = await proofTimes(node);
  const lagMs = await lagUnderLoad(node, seconds);
  await stop(node);

  node = await startNode({ LOG_EPOCH_S: '1' });
  const first = await epochTime(node, 0);
  insertWaiting(file, leaves + placed, TENANTS);
  const { size } = headOf(file);
  const next = await epochTime(node, size + TENANTS);
  const bytes = bytesOfLeaf(file);
  await stop(node);
  return { ...placing, ...proofs, lagMs, first, next, bytes };
}

async function timed(what, work) {
  const before = performance.now();
  await work();
  console.log(`  ${what} in ${Math.round((performance.now() - before) / 1000)} s`);
}

/** Leaves as certify stores them, without their records. */
function insertWaiting(file, from, count) {
  const database = new Database(file, { timeout: 60_000 });
  const insert = database.prepare(`
    with recursive at(n) as (select ? union all select n + 1 from at where n + 1 < ?)
    insert into log_leaves (tenant_id, source, source_seq, digest, seed, label_json)
    select 'tenant-' || (n % ${TENANTS}), 'record', -1 - n, randomblob(32), randomblob(32), '${LABEL}' from at`);
  insert.run(from, from + count);
  database.close();
}

function headOf(file) {
  return withDatabase(file, (database) =>
    database.prepare("select size from log_heads join log_keys using (log_id) where role = 'receipts'").get(),
  );
}

function withDatabase(file, work) {
  const database = new Database(file, { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Waits until all leaves have their place. @returns leaves per second, and the memory of the node by then */
async function placingOf(node, from, count) {
  const memory = [];
  const began = performance.now();
  for (let done = 0; done < count; await sleep(TURN_MS)) {
    done = headOf(node.file).size - from;
    memory.push([done, residentMib(node.child.pid)]);
    if (performance.now() - began > 60_000 + (count / SLOWEST) * 1000) {
      throw new Error(`${done} of ${count} leaves have a place`);
    }
  }
  const placeSeconds = (performance.now() - began) / 1000;
  const largest = (least, most) =>
    Math.max(0, ...memory.filter(([done]) => done >= count * least && done <= count * most).map(([, mib]) => mib));
  return { rate: count / placeSeconds, earlyMib: largest(0, 0.5), lateMib: largest(0.5, 1) };
}

/** Certifies, waits for the proofs, and asks for each again. */
async function proofTimes({ url, apiKey }) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const hashes = [];
  for (let count = 0; count < PROOFS; count += 1) {
    const body = CERTIFY_BODY.replace('[<id>]', randomUUID());
    const asked = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const answer = await fetch(`${url}/v1/cer/ai/certify`, asked);
    if (!answer.ok) throw new Error(`certify: ${answer.status}`);
    hashes.push((await answer.json()).certificateHash);
  }
  const proof = async (hash) => {
    const answer = await fetch(`${url}/v1/log/proof?certificate_hash=${encodeURIComponent(hash)}`, { headers });
    await answer.arrayBuffer();
    return answer.ok;
  };
  for (let tried = 0; !(await proof(hashes.at(-1))); tried += 1) {
    if (tried > 600) throw new Error('no proof after a minute');
    await sleep(100);
  }
  const times = [];
  for (const hash of hashes) {
    const before = performance.now();
    if (!(await proof(hash))) throw new Error('a proof is missing');
    times.push(performance.now() - before);
  }
  return { proofMs: median(times), proofMsLongest: Math.max(...times) };
}

/** @returns the longest time in ms from the storing of a leaf until it has its place, under full load */
async function lagUnderLoad(node, seconds) {
  const database = new Database(node.file, { readonly: true });
  const newest = database.prepare('select max(leaf_id) from log_leaves').pluck();
  const oldest = database.prepare('select min(leaf_id) from log_leaves where log_index is null').pluck();
  const waiting = [];
  let longest = 0;
  const look = () => {
    const now = performance.now();
    const first = oldest.get() ?? Infinity;
    while (waiting.length > 0 && waiting[0].leafId < first) longest = Math.max(longest, now - waiting.shift().at);
    const leafId = newest.get();
    if (leafId >= first && leafId !== waiting.at(-1)?.leafId) waiting.push({ leafId, at: now });
  };
  const timer = setInterval(look, TURN_MS);
  await load(node, CONNECTIONS, seconds);
  while (waiting.length > 0) await sleep(TURN_MS);
  clearInterval(timer);
  database.close();
  return longest;
}

/**
 * Waits for an epoch over at least `size` leaves.
 * @returns milliseconds that the node took for it, and the longest delay of its event loop during it
 */
async function epochTime({ file, child }, size) {
  await observe(child);
  const began = performance.now();
  for (;;) {
    const found = withDatabase(file, (database) =>
      database.prepare('select entry, to_time from log_epochs order by epoch desc limit 1').get(),
    );
    const seenAt = Date.now();
    if (found !== undefined && JSON.parse(found.entry.toString()).log.size >= size) {
      const { delayMaxMs } = await observe(child);
      return { ms: seenAt - Date.parse(found.to_time), delayMaxMs };
    }
    if (performance.now() - began > EPOCH_WITHIN_MS) throw new Error('no epoch after half an hour');
    await sleep(TURN_MS);
  }
}

/** Resident memory of a process where the system reports it (Linux), else 0. */
function residentMib(pid) {
  if (process.platform !== 'linux') return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Pages of the tables and indexes of the log, by leaf. */
export function bytesOfLeaf(file) {
  return withDatabase(file, (database) => {
    const one = (sql) => database.prepare(sql).pluck().get();
    const bytes = one("select sum(pgsize) from dbstat where name like 'log_%' or name like 'sqlite_autoindex_log_%'");
    return bytes / one('select count(*) from log_leaves');
  });
}
