// Lists and searches of records at one million: node bench/run.mjs --only records. Times of the store alone; the first
// page within 50 ms, each filter within three times that, at the 95th percentile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ratio } from './measure.mjs';
import { closePlace, openPlace } from './scale-places.mjs';

const FIRST_PAGE_MS = 50;
const FILTER_MS = 3 * FIRST_PAGE_MS;
const PAGE = 51;

/** Each filter as a page of the dashboard sends it; the last ones find nothing. */
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
  'model and provider that never meet': () => ({ model: 'model-12', provider: 'provider-3' }),
  'place in the log, none': () => ({ logProof: true }),
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

/** @param {{rows: number, rounds: number}} options */
export async function recordCases({ rows, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-records-'));
  const cases = [];
  const ratios = [];
  try {
    const place = await openPlace(folder, 'records', rows);
    for (const [name, question] of Object.entries(QUESTIONS)) {
      const times = await timesOf(place, question, rounds);
      const late = times[Math.ceil(times.length * 0.95) - 1];
      const label = `records: ${name}, ${rows / 1000}k rows`;
      cases.push({
        ...{ name: label, unit: 'ms', median: times[Math.floor(times.length / 2)] },
        ...{ min: times[0], max: times.at(-1), rounds },
      });
      const goal = name === 'first page' ? FIRST_PAGE_MS : FILTER_MS;
      ratios.push(ratio('records', `${label}: 95th percentile / ${goal} ms`, late / goal, 1, { atMost: true }));
    }
    await closePlace(place);
    return { cases, ratios };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
