// The bare floor (G3): only the work that every server with these guarantees must do. node:http, JSON.parse, one
// hash, two signatures, rows that share a commit with FULL durability. BENCH_DATABASE unset: the same without storage.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';

const signed = promisify(sign);
const { privateKey } = generateKeyPairSync('ed25519');
const insertAll =
  process.env.BENCH_DATABASE === undefined ? async () => undefined : batched(process.env.BENCH_DATABASE);

/** The next 64 waiting rows are committed as soon as the event loop is free. */
function batched(file) {
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.exec(`create table executions (execution_id text primary key, certificate_hash text not null unique,
    record text not null)`);
  const insert = database.prepare('insert into executions values (?, ?, ?)');
  const queue = [];
  let isScheduled = false;
  const commit = () => {
    const batch = queue.splice(0, 64);
    database.transaction(() => batch.forEach(({ row }) => insert.run(row))).immediate();
    for (const { resolve } of batch) resolve();
    isScheduled = queue.length > 0;
    if (isScheduled) setImmediate(commit);
  };
  return (row) =>
    new Promise((resolve) => {
      queue.push({ row, resolve });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(commit);
    });
}

async function certify(text) {
  const request = JSON.parse(text);
  const certificateHash = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const attestation = { attestationId: randomUUID(), attestedAt: new Date().toISOString(), certificateHash };
  const [receipt, envelope] = await Promise.all(
    [JSON.stringify(attestation), text].map(async (message) =>
      (await signed(null, Buffer.from(message), privateKey)).toString('base64url'),
    ),
  );
  const record = JSON.stringify({ ok: true, cer: request, attestation, receipt, envelope });
  await insertAll([request.executionId, certificateHash, record]);
  return record;
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    if (request.method === 'GET') return response.end('{}');
    const body = await certify(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
