// node bench/scale.mjs [--rows 1000000] [--rounds 5] [--verify] [--keep FOLDER] (npm run scale -w apps/node)
// G12, G14, and lists and exports: a store of a million real, signed records compared with one of ten thousand. --keep saves
// the large store in FOLDER for later runs: creating it takes minutes.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOf, readOptions } from '../scripts/setup/options.mjs';
import { caseOf, clocks, median, ratio } from './measure.mjs';
import { environment, printCases, printRatios } from './report.mjs';
import { closePlace, insert, made, openPlace, startNode } from './scale-places.mjs';

const root = `${import.meta.dirname}/..`;
const SMALL_ROWS = 10_000;

/** Wall time: inserts wait for the disk. */
async function perSecond(count, work) {
  const startedAt = performance.now();
  await work();
  return count / ((performance.now() - startedAt) / 1000);
}

/** CPU time: SQLite reads in the calling thread, so that other load has little effect. */
async function perCpuSecond(count, work) {
  const before = clocks.cpu();
  await work();
  return count / (clocks.cpu() - before);
}

const pick = (list) => list[Math.floor(Math.random() * list.length)];

async function insertRate(place, count) {
  const records = await made(place, count);
  return perSecond(count, () => insert(place, records));
}

const lookupRate = (place, count) =>
  perCpuSecond(count, async () => {
    for (let at = 0; at < count; at += 1) {
      if ((await place.store.records.findByHash(pick(place.hashes))) === null) throw new Error('must be found');
    }
  });

/** Pages of a hundred from random positions, of all records or of one application. */
function pageRate(place, count, filter = {}) {
  const { recordList } = place.store;
  return perCpuSecond(count, async () => {
    for (let at = 0; at < count; at += 1) {
      const after = await recordList.place(place.tenantId, pick(place.hashes), 'full');
      await recordList.page({ tenantId: place.tenantId, ...filter }, at % 2 === 0 ? 'oldest' : 'newest', after, 100);
    }
  });
}

function rssMib(pid) {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Downloads a whole package. @returns seconds, and the node's memory sampled ten times per second */
async function download({ child, url }, key, out) {
  const startedAt = performance.now();
  const memory = [];
  const timer = setInterval(() => memory.push(rssMib(child.pid)), 100);
  const response = await fetch(`${url}/v1/records/export`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`export: ${response.status} ${await response.text()}`);
  const file = out === undefined ? null : openSync(out, 'w');
  for await (const chunk of response.body) if (file !== null) writeSync(file, chunk);
  if (file !== null) closeSync(file);
  clearInterval(timer);
  return { seconds: (performance.now() - startedAt) / 1000, memory };
}

/** @param {{rows: number, rounds: number, verify?: boolean, keep?: string}} options */
export async function scaleCases({ rows, rounds, verify = false, keep }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-scale-'));
  if (keep !== undefined) mkdirSync(keep, { recursive: true, mode: 0o700 });
  const running = [];
  try {
    const large = await openPlace(keep ?? folder, 'large', rows);
    const small = await openPlace(folder, 'small', SMALL_ROWS);
    const kinds = {
      insert: ['inserts', 'rows/s', (place) => insertRate(place, 2000), 0.6, 'G12'],
      lookup: ['lookups by hash', 'lookups/s', (place) => lookupRate(place, 20_000), 0.7, 'G14'],
      page: ['list pages of 100', 'pages/s', (place) => pageRate(place, 200), 0.7, 'scale'],
      app: [
        'list pages of one application',
        'pages/s',
        (place) => pageRate(place, 200, { appId: 'app-7' }),
        0.7,
        'scale',
      ],
    };
    const rates = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { small: [], large: [] }]));
    // Lookups and pages first: the inserts double the smaller store.
    for (const kind of ['lookup', 'page', 'app', 'insert']) {
      const [, , measureRate] = kinds[kind];
      for (const place of [small, large]) await measureRate(place);
      for (let round = 0; round < rounds; round += 1) {
        for (const place of [small, large]) rates[kind][place.name].push(await measureRate(place));
      }
    }
    await closePlace(small);
    await closePlace(large);

    const exports = { small: [], large: [] };
    const nodes = { small: await startNode(small), large: await startNode(large) };
    running.push(nodes.small.child, nodes.large.child);
    await download(nodes.small, small.key);
    for (let round = 0; round < rounds; round += 1) {
      exports.small.push(small.rows / (await download(nodes.small, small.key)).seconds);
    }
    const out = join(folder, 'package.zip');
    const { seconds, memory } = await download(nodes.large, large.key, out);
    exports.large.push(large.rows / seconds);
    for (let round = 0; round < rounds; round += 1) {
      exports.small.push(small.rows / (await download(nodes.small, small.key)).seconds);
    }
    const fifth = Math.ceil(memory.length / 5);
    const early = Math.max(...memory.slice(0, fifth));
    const late = Math.max(...memory.slice(fifth));
    console.log(
      `  package of ${large.rows} records: ${Math.round(statSync(out).size / 1e6)} MB in ${Math.round(seconds)} s; ` +
        `memory of the node at most ${Math.round(early)} MiB in the first fifth, ${Math.round(late)} MiB after it`,
    );
    if (verify) verifyPackage(out, nodes.large.url, large.rows);
    const label = (place) => (place === 'small' ? '10k rows' : `${rows / 1000}k rows`);
    const all = [
      ...Object.entries(kinds).map(([kind, [name, unit, , goal, id]]) => [name, unit, rates[kind], goal, id]),
      ['export', 'rows/s', exports, 0.7, 'scale'],
    ];
    return {
      cases: all.flatMap(([name, unit, found]) =>
        ['small', 'large'].map((place) => caseOf(`${name}, ${label(place)}`, unit, found[place])),
      ),
      ratios: [
        ...all.map(([name, , found, goal, id]) =>
          ratio(id, `${name}, ${label('large')} / ${label('small')}`, median(found.large) / median(found.small), goal),
        ),
        ratio('scale', 'memory of the node during an export, after / in its first fifth', late / early, 1.25, {
          atMost: true,
        }),
      ],
    };
  } finally {
    for (const child of running) child.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Verifies the whole package with the CLI and the node's published keys. */
function verifyPackage(path, url, rows) {
  const startedAt = performance.now();
  const args = [`${root}/apps/cli/bin/cer.js`, 'verify-package', path, '--keys', url, '--json'];
  const command = `${process.execPath} ${args.map((arg) => `'${arg}'`).join(' ')}`;
  const script = `${command} & pid=$!; peak=0; while kill -0 $pid 2>/dev/null; do
    rss=$(awk '/^VmRSS/ {print $2}' /proc/$pid/status 2>/dev/null); [ "\${rss:-0}" -gt $peak ] && peak=$rss; sleep 0.2; done
    wait $pid; code=$?; echo "peak $peak" >&2; exit $code`;
  const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const report = JSON.parse(said);
  if (report.completeness !== 'complete' || report.records.verified !== rows) throw new Error(said.slice(0, 2000));
  console.log(`  cer verify-package: ${rows} certificates in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = readOptions(import.meta.filename, {
    options: {
      rows: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      verify: { type: 'boolean' },
      keep: { type: 'string' },
    },
  });
  const { cpu, node, loadavgBefore } = environment();
  console.log(`${cpu}, node ${node}, load ${loadavgBefore.join(' ')}`);
  const rounds = numberOf(values, 'rounds', 1);
  const { cases, ratios } = await scaleCases({
    ...{ rows: numberOf(values, 'rows', 1), rounds, verify: values.verify === true },
    ...(values.keep !== undefined && { keep: values.keep }),
  });
  printCases(cases);
  printRatios(ratios);
  if (ratios.some(({ pass }) => !pass)) process.exitCode = 1;
}
