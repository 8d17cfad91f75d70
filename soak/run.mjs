// npm run soak -- [--minutes N] [--folder DIR] [--share 0.7] [--seed N] [--write]
// Mixed load at a share of the measured capacity. `--write` puts figures and plot into docs/reliability.md.
//   npm run soak -- --minutes 30 --write
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatted } from '../scripts/formatted.mjs';
import { numberOf, readOptions } from '../scripts/setup/options.mjs';
import { judge, median, quantile } from './judge.mjs';
import { withSoak } from './document.mjs';
import { createLoad } from './load.mjs';
import { plot } from './plot.mjs';
import { takeSample } from './resources.mjs';
import { startSystem } from './system.mjs';

const { values } = readOptions(import.meta.filename, {
  options: {
    minutes: { type: 'string', default: '30' },
    folder: { type: 'string', default: join(tmpdir(), 'soak') },
    share: { type: 'string', default: '0.7' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    'calibration-seconds': { type: 'string', default: '30' },
  },
});
const [minutes, share, seed, calibrationSeconds] = ['minutes', 'share', 'seed', 'calibration-seconds'].map((name) =>
  numberOf(values, name),
);

/** Requests at once, while the capacity is measured and afterwards. */
const CLIENTS = 16;
const SAMPLE_MS = 5_000;

const system = await startSystem();
try {
  const load = createLoad(system.services, seed);
  await load.begin();
  const capacity = await measureCapacity(load, calibrationSeconds);
  load.takeLatencies();
  const rate = capacity * share;
  console.log(`capacity ${capacity.toFixed(0)} requests/s, load average ${loadavg()[0].toFixed(1)}`);
  const samples = await soak(load, rate);
  await report(load, capacity, rate, samples);
} finally {
  await system.stop();
}

/** @returns requests per second of clients that each wait for their answer */
async function measureCapacity(load, seconds) {
  const until = performance.now() + seconds * 1000;
  let requests = 0;
  const client = async () => {
    while (performance.now() < until) {
      await load.one();
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return requests / seconds;
}

/**
 * Sends requests at a fixed rate. While other work on the machine makes it too slow for the rate, every client waits, and
 * the requests that are due are left out.
 */
async function soak(load, rate) {
  const startedAt = performance.now();
  const samples = [];
  const underWay = new Set();
  let [sent, leftOut, lastSent] = [0, 0, 0];
  let nextSampleAt = SAMPLE_MS;
  for (let due = 0; ;) {
    const elapsed = performance.now() - startedAt;
    if (elapsed >= minutes * 60_000) break;
    for (; due < (elapsed / 1000) * rate; due += 1) {
      if (underWay.size >= CLIENTS) {
        leftOut += 1;
        continue;
      }
      const request = load.one().finally(() => underWay.delete(request));
      underWay.add(request);
      sent += 1;
    }
    if (elapsed >= nextSampleAt) {
      nextSampleAt += SAMPLE_MS;
      const latencies = load.takeLatencies();
      samples.push({
        seconds: Math.round(elapsed / 1000),
        requestsPerSecond: ((sent - lastSent) * 1000) / SAMPLE_MS,
        errors: load.errorCount(),
        leftOut,
        latencyMs: ofEach(latencies, 0.5),
        latencyP99Ms: ofEach(latencies, 0.99),
        ...takeSample(system),
      });
      lastSent = sent;
    }
    await sleep(10);
  }
  await Promise.all(underWay);
  return samples;
}

function ofEach(latencies, share) {
  return Object.fromEntries(Object.entries(latencies).map(([kind, times]) => [kind, quantile(times, share)]));
}

async function report(load, capacity, rate, samples) {
  const judged = judge(samples);
  const loads = samples.map(({ loadAverage }) => loadAverage);
  const facts = {
    date: new Date().toISOString(),
    minutes,
    capacity: Math.round(capacity),
    rate: Math.round(rate),
    requests: Math.round(samples.reduce((sum, each) => sum + (each.requestsPerSecond * SAMPLE_MS) / 1000, 0)),
    leftOut: samples.at(-1)?.leftOut ?? 0,
    errors: load.errorCount(),
    loadAverage: { lowest: Math.min(...loads), median: median(loads), highest: Math.max(...loads) },
    errorsByReason: Object.fromEntries(load.errors),
    judged,
  };
  mkdirSync(values.folder, { recursive: true });
  writeFileSync(join(values.folder, 'soak.json'), `${JSON.stringify({ ...facts, samples }, null, 1)}\n`);
  const title = `Soak of ${minutes} minutes at ${facts.rate} requests/s, ${facts.date.slice(0, 10)}`;
  writeFileSync(join(values.folder, 'soak.svg'), plot(samples, title));
  if (values.write) await writeDocument(facts, plot(samples, title));
  console.log(JSON.stringify(facts, null, 1));
  const grown = judged.filter(({ isFlat }) => !isFlat);
  for (const { quantity, first, last } of grown) console.log(`NOT FLAT ${quantity}: ${first} to ${last}`);
  console.log(`${facts.errors} errors, ${grown.length} quantities not flat`);
  process.exitCode = facts.errors === 0 && grown.length === 0 ? 0 : 1;
}

async function writeDocument(facts, picture) {
  const root = dirname(import.meta.dirname);
  const document = join(root, 'docs', 'reliability.md');
  writeFileSync(document, await formatted(document, withSoak(readFileSync(document, 'utf8'), facts)));
  writeFileSync(join(root, 'docs', 'images', 'soak.svg'), picture);
}
