// Reads the database and judges it without any code of the services: SQL, a separate Merkle tree, and the verifier in
// Go where Go is present, else the library.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { IMPLEMENTATIONS } from '../conformance/implementations.mjs';
import { answersOf } from '../conformance/implementation.mjs';

const LOGGED_WITHIN_MS = 240_000;
const PAGE = 2_000;

/** @returns {Promise<{breaches: string[], facts: object}>} */
export async function checkInvariants({ databaseUrl, keySet, entries, spooled, renders, hasLog = true }) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const rows = async (sql, values) => (await client.query(sql, values)).rows;
  const breaches = [];
  const facts = {};
  try {
    if (hasLog) await untilLogged(rows);
    await acknowledged(rows, entries, breaches);
    await mapping(rows, breaches);
    facts.records = await everyRecord(rows, keySet, breaches);
    await spool(rows, spooled, breaches);
    if (renders !== undefined) facts.renders = await renders.judge(rows);
    if (hasLog) facts.log = await logs(rows, breaches);
    return { breaches, facts };
  } finally {
    await client.end();
  }
}

async function untilLogged(rows) {
  const waiting = 'select count(*)::int as waiting from log_leaves where log_index is null';
  for (const deadline = Date.now() + LOGGED_WITHIN_MS; Date.now() < deadline; await sleep(200)) {
    if ((await rows(waiting))[0].waiting === 0) return;
  }
  throw new Error('leaves have no place in the log');
}

async function acknowledged(rows, entries, breaches) {
  for (let from = 0; from < entries.length; from += PAGE) {
    const part = entries.slice(from, from + PAGE);
    const found = await rows(
      `select e.execution_id, e.certificate_hash, r.seq from executions e left join records r
         on r.tenant_id = e.tenant_id and r.certificate_hash = e.certificate_hash and r.kind = 'full'
       where e.execution_id = any($1)`,
      [part.map(([id]) => id)],
    );
    const byId = new Map(found.map((row) => [row.execution_id, row]));
    for (const [id, { certificateHash }] of part) {
      const row = byId.get(id);
      if (row === undefined || row.seq === null) breaches.push(`${id} was acknowledged and is not stored`);
      else if (row.certificate_hash !== certificateHash) breaches.push(`${id} is stored with another hash`);
    }
  }
}

async function mapping(rows, breaches) {
  const twice = await rows(
    `select execution_id from records where execution_id is not null group by tenant_id, execution_id
     having count(distinct certificate_hash) > 1 or count(*) > 1`,
  );
  for (const { execution_id: id } of twice) breaches.push(`${id} has two records`);
  const strays = await rows(
    `select r.execution_id from records r left join executions e on e.tenant_id = r.tenant_id
       and e.execution_id = r.execution_id and e.certificate_hash = r.certificate_hash where e.execution_id is null
     union all select e.execution_id from executions e left join records r on r.tenant_id = e.tenant_id
       and r.certificate_hash = e.certificate_hash and r.kind = 'full' where r.seq is null`,
  );
  for (const { execution_id: id } of strays) breaches.push(`${id} is only half stored`);
}

async function everyRecord(rows, keySet, breaches) {
  const go = IMPLEMENTATIONS.go();
  const verifier = go.missing === undefined ? go : IMPLEMENTATIONS.node();
  let count = 0;
  for (let last = 0; ;) {
    const page = await rows('select seq, bundle_json, meta_json from records where seq > $1 order by seq limit $2', [
      last,
      PAGE,
    ]);
    if (page.length === 0) return { verified: count, by: go.missing === undefined ? 'clients/go' : 'the library' };
    const files = page.map(({ bundle_json: bundle, meta_json: meta }) => ({
      kind: 'cer',
      bundle: JSON.stringify({ ...JSON.parse(bundle), meta: JSON.parse(meta) }),
      keySet,
      options: { requireAttestation: true },
    }));
    for (const [index, { status, code }] of (await answersOf(verifier, 'verify', files)).entries()) {
      if (status?.startsWith('VERIFIED') !== true) breaches.push(`record ${page[index].seq} does not verify: ${code}`);
    }
    count += page.length;
    last = page.at(-1).seq;
  }
}

async function spool(rows, spooled, breaches) {
  const [{ count }] = await rows("select count(*)::int as count from records where app_id = 'torture'");
  if (count < spooled) breaches.push(`${spooled} calls were in the spool, ${count} are certified`);
}

async function logs(rows, breaches) {
  const [receipts] = await rows("select log_id from log_keys where role = 'receipts'");
  const logId = receipts.log_id;
  const leaves = await rows(
    'select log_index, number, tenant_id, entry from log_leaves where log_id = $1 order by log_index',
    [logId],
  );
  const gap = leaves.findIndex(({ log_index: place }, index) => Number(place) !== index);
  if (gap >= 0) breaches.push(`the log has a gap at ${gap}`);
  const numbers = new Map();
  for (const { tenant_id: tenant, number } of leaves) {
    const last = numbers.get(tenant) ?? 0;
    if (Number(number) !== last + 1) breaches.push(`tenant tree: ${number} follows ${last}`);
    numbers.set(tenant, Number(number));
  }
  const [{ count: unlogged }] = await rows(
    `select count(*)::int as count from records r where not exists (
       select 1 from log_leaves l where l.source_seq = r.seq and l.source not like 'project%')`,
  );
  if (unlogged > 0) breaches.push(`${unlogged} records have no leaf`);
  const notes = await rows('select size, note from log_notes where log_id = $1 order by size', [logId]);
  const roots = rootsAt(
    leaves.map(({ entry }) => entry),
    notes.map(({ size }) => Number(size)),
  );
  for (const { size, note } of notes) {
    const [, stated, root] = note.split('\n');
    if (Number(stated) !== Number(size) || root !== roots.get(Number(size)))
      breaches.push(`the checkpoint of ${size} is not the tree's`);
  }
  const ahead = await rows(
    'select witness from log_witnesses w join log_heads h on h.log_id = w.log_id where w.size > h.size',
  );
  if (ahead.length > 0) breaches.push('a witness is ahead of the log');
  const halted = await rows('select halted from log_heads where halted is not null');
  for (const { halted: reason } of halted) breaches.push(`a log halted: ${reason}`);
  return { leaves: leaves.length, checkpoints: notes.length, tenants: numbers.size };
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** RFC 6962 roots of the first n entries, for each n asked, in base64. */
function rootsAt(entries, sizes) {
  const wanted = new Set(sizes);
  const roots = new Map();
  const peaks = [];
  entries.forEach((entry, index) => {
    let hash = sha256(Buffer.of(0), entry);
    for (let left = index; left % 2 === 1; left = (left - 1) / 2) hash = sha256(Buffer.of(1), peaks.pop(), hash);
    peaks.push(hash);
    if (!wanted.has(index + 1)) return;
    const root = peaks.reduceRight((right, left) => (right === null ? left : sha256(Buffer.of(1), left, right)), null);
    roots.set(index + 1, root.toString('base64'));
  });
  if (wanted.has(0)) roots.set(0, sha256().toString('base64'));
  return roots;
}
