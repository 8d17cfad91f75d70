// Bytes of data and of log that a record costs on either database, from filled stores: for docs/scale.md.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createKeyFile } from '@cer/keys/testing/key-file';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { openStore } from '../apps/node/dist/store/index.js';
import { attestorOf, insert, made, recordMaker } from './scale-places.mjs';

const BATCH = 5_000;

/** Opens a store and adds records. */
async function fill(databaseUrl, attestor, rows) {
  const store = await openStore({ databaseUrl, queueLimit: 10_000 });
  const { tenantId } = await store.tenants.createTenant('capacity');
  const place = { store, tenantId, hashes: [], rows: 0, make: recordMaker(attestor, tenantId, 0) };
  for (let done = 0; done < rows; done += BATCH) await insert(place, await made(place, Math.min(BATCH, rows - done)));
  await store.close();
}

/** @returns the growth of the file, whose log is empty once the store is closed, in bytes a record */
async function onSqlite(folder, attestor, rows) {
  const path = join(folder, 'node.sqlite');
  await (await openStore({ databaseUrl: `sqlite:${path}`, queueLimit: 1 })).close();
  const before = statSync(path).size;
  await fill(`sqlite:${path}`, attestor, rows);
  return (statSync(path).size - before) / rows;
}

/** @returns the growth of the database and of its log, in bytes a record */
async function onPostgres(attestor, rows) {
  const server = await startPostgresServer();
  try {
    const url = await server.createDatabase('capacity');
    await (await openStore({ databaseUrl: url, queueLimit: 1 })).close();
    const client = new pg.Client(url);
    await client.connect();
    const sizes = async () => {
      const answer = await client.query(
        `select pg_database_size(current_database()) as data, pg_current_wal_lsn() - '0/0'::pg_lsn as log`,
      );
      return { data: Number(answer.rows[0].data), log: Number(answer.rows[0].log) };
    };
    const before = await sizes();
    await fill(url, attestor, rows);
    const after = await sizes();
    await client.end();
    return { data: (after.data - before.data) / rows, log: (after.log - before.log) / rows };
  } finally {
    await server.stop();
  }
}

/** @param rows records to store in each database */
export async function capacityCases({ rows }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-capacity-'));
  try {
    const { signer } = createKeyFile(join(folder, 'keys.json'), {
      nodeId: 'capacity',
      now: new Date('2026-01-01T00:00:00Z'),
    });
    const attestor = attestorOf(signer);
    const cases = [];
    const add = (name, bytes) => {
      cases.push({ name, unit: 'bytes/record', median: bytes, min: bytes, max: bytes, rounds: 1 });
    };
    add(`SQLite, data with its indexes, ${rows} records`, await onSqlite(folder, attestor, rows));
    const postgres = await onPostgres(attestor, rows);
    add(`PostgreSQL, data with its indexes, ${rows} records`, postgres.data);
    add(`PostgreSQL, log, ${rows} records`, postgres.log);
    return { cases, ratios: [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
