// The costs of a record as a SQLite database grows: databases of 10,000 records and each tenfold up to --records, side
// by side. CPU time, which other work on the machine changes little, bytes of the write-ahead log, and certify over
// HTTP.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { launchArguments } from '../scripts/services/launch.mjs';
import { load, start } from './certify.mjs';
import { copyRecords, REAL_RECORDS } from './copied-records.mjs';
import { growthPicture } from './growth-picture.mjs';
import { caseOf, clocks, median, ratio } from './measure.mjs';
import { closePlace, insert, made, openPlace } from './scale-places.mjs';

const SMALLEST = 10_000;
const CONNECTIONS = 64;
const INSERTED = 1_000;
const PAGE = 51;
/** As the route of the count. */
const MAX_COUNT = 100_000;
const END = '9999-12-31T23:59:59.999Z';
const words = launchArguments(`${import.meta.dirname}/..`, 'node');

const pick = (list) => list[Math.floor(Math.random() * list.length)];
const pageOf =
  (filter) =>
  ({ store, tenantId }) =>
    store.recordList.page({ tenantId, ...filter }, 'newest', null, PAGE);
const countOf =
  (filter) =>
  ({ store, tenantId }) =>
    store.recordList.count({ tenantId, ...filter }, MAX_COUNT);

/** Each read or replay: how often in a round, and what is done. */
const ACTIONS = {
  replay: [100, 'replay of a certify', replay],
  lookup: [1_000, 'look-up by hash', ({ store, hashes }) => store.records.findByHash(pick(hashes))],
  page: [50, 'first page of the list', pageOf({})],
  between: [50, 'page of the list from any place', pageBetween],
  filters: [50, 'page with two filters', pageOf({ model: 'model-12', appId: 'app-2' })],
  count: [1, 'count with two filters', countOf({ model: 'model-12', appId: 'app-2' })],
};

async function replay({ store, hashes, spare }) {
  const { executionId } = await store.records.findByHash(pick(hashes));
  const { recorded } = await store.records.recordOnce({ ...spare, executionId });
  if (recorded) throw new Error('must be a replay');
}

async function pageBetween({ store, tenantId, hashes }) {
  const after = await store.recordList.place(tenantId, pick(hashes), 'full');
  await store.recordList.page({ tenantId }, 'newest', after, PAGE);
}

/** @returns CPU time of one, in us */
async function cpuUsOf(times, work) {
  await nextTurnOfLoop();
  const before = clocks.cpu();
  for (let at = 0; at < times; at += 1) await work();
  return ((clocks.cpu() - before) * 1e6) / times;
}

function emptyLog(path) {
  const file = new Database(path);
  file.pragma('wal_checkpoint(TRUNCATE)');
  file.close();
}

/** CPU time and bytes of log of a new record. */
async function insertOnce(place) {
  const records = await made(place, INSERTED);
  emptyLog(place.path);
  const cpuUs = await cpuUsOf(1, () => insert(place, records));
  return { cpuUs: cpuUs / INSERTED, logBytes: statSync(`${place.path}-wal`).size / INSERTED };
}

/** Erases the oldest records as a sweep does. @returns CPU time of one, in us */
async function sweep({ store, tenantId, path }) {
  let deleted = 0;
  // A sweep empties the log, so it must start without earlier writes.
  emptyLog(path);
  const cpuUs = await cpuUsOf(1, async () => {
    const { due } = await store.retention.due('records', tenantId, END, null);
    deleted = await store.retention.deleteDue('records', due, 0);
  });
  return cpuUs / deleted;
}

/** Fills a database with `rows` records: REAL_RECORDS certified ones, and copies of them. */
async function filled(folder, rows) {
  const startedAt = performance.now();
  const home = join(folder, String(rows));
  cpSync(join(folder, 'real'), home, { recursive: true });
  const path = join(home, 'node.sqlite');
  const hashes = await copyRecords(`sqlite:${path}`, rows, { isShort: true });
  const database = new Database(path);
  // A node that ran all the time has counted them.
  database.exec(`update coverage_position set counted = ${rows}`);
  database.close();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`  ${rows} records, ${Math.round(statSync(path).size / 1e6)} MB, filled in ${seconds} s`);
  return { size: rows, home, path, hashes };
}

async function measureStore(folder, places, rounds) {
  for (const place of places) {
    const { store, tenantId, make } = await openPlace(folder, String(place.size), place.size);
    Object.assign(place, { rows: place.size, store, tenantId, make, spare: await make(), found: {} });
  }
  const note = (place, kind, value) => (place.found[kind] ??= []).push(value);
  // The first round fills the caches.
  for (let round = -1; round < rounds; round += 1) {
    for (const place of places) {
      for (const [kind, [times, , work]] of Object.entries(ACTIONS)) {
        const cpuUs = await cpuUsOf(times, () => work(place));
        if (round >= 0) note(place, kind, cpuUs);
      }
    }
  }
  for (let round = -1; round < rounds; round += 1) {
    for (const place of places) {
      const { cpuUs, logBytes } = await insertOnce(place);
      const swept = await sweep(place);
      if (round < 0) continue;
      note(place, 'insert', cpuUs);
      note(place, 'log', logBytes);
      note(place, 'sweep', swept);
    }
  }
  for (const place of places) await closePlace({ ...place, key: '' });
}

async function measureCertify(places, rounds, seconds) {
  const nodes = [];
  try {
    for (const { home, path } of places) {
      const env = {
        DATABASE_URL: `sqlite:${path}`,
        KEYS_FILE: join(home, 'keys.json'),
        COMMITMENT_SECRET_FILE: join(home, 'secrets.json'),
      };
      const key = execFileSync(process.execPath, [words.at(-1), 'api-key', 'create', '--tenant', 'bench'], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
      nodes.push(await start(words, env, key.trim()));
    }
    for (let round = -1; round < rounds; round += 1) {
      for (const [at, node] of nodes.entries()) {
        const { rate, cpuUs } = await load(node, CONNECTIONS, seconds);
        if (round < 0) continue;
        (places[at].found.certify ??= []).push(rate);
        (places[at].found.certifyCpu ??= []).push(cpuUs);
      }
    }
  } finally {
    for (const { child } of nodes) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
  }
}

/** Of each quantity: its name, its unit, and how much the largest database may have of the smallest one's. */
const QUANTITIES = {
  log: ['log of a record', 'bytes', 5],
  insert: ['storing a record', 'us CPU', 2],
  certify: ['certify, 64 connections', 'certifies/s', 0.5],
  certifyCpu: ['certify, CPU of the node', 'us CPU', 2],
  ...Object.fromEntries(Object.entries(ACTIONS).map(([kind, [, name]]) => [kind, [name, 'us CPU', 2]])),
  sweep: ['erasing a record in a sweep', 'us CPU', 2],
};
/** Reads all that it counts. */
const GROWS = 'count';

/** @param {{records: number, rounds: number, seconds: number}} options */
export async function growthCases({ records, rounds, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-growth-'));
  try {
    const real = await openPlace(folder, 'real', REAL_RECORDS);
    await closePlace(real);
    const places = [];
    for (let rows = SMALLEST; rows <= records; rows *= 10) places.push(await filled(folder, rows));
    await measureStore(folder, places, rounds);
    await measureCertify(places, rounds, seconds);
    const [smallest, largest] = [places[0], places.at(-1)];
    return {
      cases: Object.entries(QUANTITIES).flatMap(([kind, [name, unit]]) =>
        places.map(({ size, found }) => caseOf(`${name}, ${size.toLocaleString('en')} records`, unit, found[kind])),
      ),
      ratios: Object.entries(QUANTITIES)
        .filter(([kind]) => kind !== GROWS)
        .map(([kind, [name, , goal]]) =>
          ratio(
            'growth',
            `${name}, ${largest.size.toLocaleString('en')} / ${smallest.size.toLocaleString('en')} records`,
            median(largest.found[kind]) / median(smallest.found[kind]),
            goal,
            { atMost: goal > 1 },
          ),
        ),
      picture: growthPicture(
        Object.entries(QUANTITIES).map(([kind, [name, unit]]) => ({
          name,
          unit,
          points: places.map(({ size, found }) => ({ rows: size, value: median(found[kind]) })),
        })),
      ),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
