// Lists and searches of records at one million, on both databases: node bench/run.mjs --only records. Times of the store
// alone; the first page within 50 ms, each filter within three times that, at the 95th percentile. The load is printed
// before and after each database.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeyFile } from '@cer/keys/testing/key-file';
import { openStore } from '../apps/node/dist/store/index.js';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { beginEmptyLog, copyRecords, REAL_RECORDS } from './copied-records.mjs';
import { ratio } from './measure.mjs';
import { attestorOf, closePlace, insert, made, openPlace, recordMaker } from './scale-places.mjs';

const FIRST_PAGE_MS = 50;
const FILTER_MS = 3 * FIRST_PAGE_MS;
const PAGE = 51;

/** Each filter as a page of the dashboard sends it; many find nothing. */
const QUESTIONS = {
  'first page': () => ({}),
  application: () => ({ appId: 'app-7' }),
  provider: () => ({ provider: 'provider-3' }),
  model: () => ({ model: 'model-12' }),
  'model and application': () => ({ model: 'model-12', appId: 'app-2' }),
  protocol: () => ({ protocolVersion: '1.3.0' }),
  'bundle type': () => ({ bundleType: 'cer.ai.execution.v1' }),
  hidden: () => ({ status: 'hidden' }),
  'one day': () => ({ attestedFrom: '2026-01-02T00:00:00.000Z', attestedTo: '2026-01-02T00:10:00.000Z' }),
  hash: ({ hashes }) => ({ certificateHash: hashes[Math.floor(Math.random() * hashes.length)] }),
  'unknown executionId': () => ({ executionId: 'never' }),
  'external timestamp, none': () => ({ timestamped: true }),
  // Filters that never meet: all records of the first in its index are compared. 25,000 have the model, 20,000 the
  // application, 200,000 the provider, all the protocol.
  'model and provider that never meet': () => ({ model: 'model-12', provider: 'provider-3' }),
  'model and application that never meet': () => ({ model: 'model-12', appId: 'app-3' }),
  'application and provider that never meet': () => ({ appId: 'app-2', provider: 'provider-3' }),
  'provider and protocol that never meet': () => ({ provider: 'provider-3', protocolVersion: '1.2.0' }),
  'protocol and an unknown application': () => ({ protocolVersion: '1.3.0', appId: 'app-99' }),
  'model and external timestamp, none': () => ({ model: 'model-12', timestamped: true }),
  'provider and hidden, none': () => ({ provider: 'provider-3', status: 'hidden' }),
  'model, provider and application that never meet': () => ({
    ...{ model: 'model-12', provider: 'provider-3', appId: 'app-2' },
  }),
  'application, provider and protocol that never meet': () => ({
    ...{ appId: 'app-2', provider: 'provider-3', protocolVersion: '1.3.0' },
  }),
  'model, provider and one day that never meet': () => ({
    ...{ model: 'model-12', provider: 'provider-3' },
    ...{ attestedFrom: '2026-01-02T00:00:00.000Z', attestedTo: '2026-01-03T00:00:00.000Z' },
  }),
  'place in the log, none of the account': () => ({ logProof: true }),
};

/** @returns {Promise<number[]>} wall times in ms, shortest first */
async function timesOf({ store, tenantId, hashes }, question, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const filter = { tenantId, ...question({ hashes }) };
    const startedAt = performance.now();
    await store.recordList.page(filter, 'newest', null, PAGE);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b);
}

/** A store of `rows` records of one tenant, all but REAL_RECORDS of them copies. */
async function filled(databaseUrl, tenantId, rows) {
  const startedAt = performance.now();
  const hashes = await copyRecords(databaseUrl, rows);
  await beginEmptyLog(databaseUrl);
  console.log(`  ${rows} records in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return { store: await openStore({ databaseUrl, queueLimit: 100 }), tenantId, hashes };
}

async function onSqlite(folder, rows) {
  const real = await openPlace(folder, 'records', REAL_RECORDS);
  await closePlace(real);
  return filled(`sqlite:${real.path}`, real.tenantId, rows);
}

async function onPostgres(databaseUrl, attestor, rows) {
  const store = await openStore({ databaseUrl, queueLimit: 10_000 });
  const { tenantId } = await store.tenants.createTenant('records');
  const place = { store, hashes: [], rows: 0, make: recordMaker(attestor, tenantId, 0) };
  await insert(place, await made(place, REAL_RECORDS));
  await store.close();
  return filled(databaseUrl, tenantId, rows);
}

async function measured(database, place, { rows, rounds }) {
  const cases = [];
  const ratios = [];
  console.log(`  ${database}: load average ${loadavg()[0].toFixed(1)}`);
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const times = await timesOf(place, question, rounds);
    const late = times[Math.ceil(times.length * 0.95) - 1];
    const label = `records: ${name}, ${rows / 1000}k rows, ${database}`;
    cases.push({
      ...{ name: label, unit: 'ms', median: times[Math.floor(times.length / 2)] },
      ...{ min: times[0], max: times.at(-1), rounds },
    });
    const goal = name === 'first page' ? FIRST_PAGE_MS : FILTER_MS;
    ratios.push(ratio('records', `${label}: 95th percentile / ${goal} ms`, late / goal, 1, { atMost: true }));
  }
  console.log(`  ${database}: load average ${loadavg()[0].toFixed(1)} at the end`);
  await place.store.close();
  return { cases, ratios };
}

/** @param {{rows: number, rounds: number}} options `rows`: a multiple of REAL_RECORDS */
export async function recordCases(options) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-records-'));
  const server = await startPostgresServer();
  try {
    const sqlite = await measured('SQLite', await onSqlite(folder, options.rows), options);
    const { signer } = openKeyFile(join(folder, 'records', 'keys.json'));
    const url = await server.createDatabase('records');
    const postgres = await measured('PostgreSQL', await onPostgres(url, attestorOf(signer), options.rows), options);
    return { cases: [...sqlite.cases, ...postgres.cases], ratios: [...sqlite.ratios, ...postgres.ratios] };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
