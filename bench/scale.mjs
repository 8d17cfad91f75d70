// G12, G14, and lists and exports: a store of a million records beside one of ten thousand, real and signed.
// Alone: node bench/scale.mjs [--rows 1000000] [--verify]   (npm run scale -w apps/node)
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { attestBundle, sealExecution, sha256 } from '@cer/cer-core';
import { createKeyFile } from '@cer/keys/file-signer';
import { openStore } from '../apps/node/dist/store/index.js';
import { median, ratio } from './measure.mjs';
import { environment, printCases, printRatios } from './report.mjs';

const root = `${import.meta.dirname}/..`;
const SMALL_ROWS = 10_000;
/** So many records are under way at once, so that as many share a commit. */
const IN_FLIGHT = 64;
const NODE_MAIN = `${root}/apps/node/dist/main.js`;
const NODE_ID = 'scale-node';
const APPS = 50;
const FIRST_TIME = Date.parse('2026-01-02T00:00:00.000Z');

/** Makes records as certify does: sealed, and signed twice. */
function recordMaker(attestor, tenantId) {
  let made = 0;
  return async () => {
    const index = made++;
    const executionId = randomUUID();
    const attestedAt = new Date(FIRST_TIME + index * 10).toISOString();
    const appId = `app-${index % APPS}`;
    const signals = [{ type: 'policy.check', source: 'scale', payload: { rule: 'no-secrets', passed: true, index } }];
    const sealed = sealExecution(
      {
        ...{ protocolVersion: '1.3.0', executionId, provider: 'example', model: 'example-large-2', appId, signals },
        input: 'What does a certificate prove, and to whom?',
        output: 'That this content was described, at this time, by this node.',
        parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: index },
      },
      { createdAt: attestedAt, timestamp: null, executionId, saltsFor: () => [] },
    );
    const attestationId = randomUUID();
    const meta = await attestBundle(sealed, attestor, { attestationId, attestedAt });
    return {
      ...{ tenantId, certificateHash: sealed.certificateHash, kind: 'full', executionId, appId, attestationId },
      ...{ bundleType: 'cer.ai.execution.v1', protocolVersion: '1.3.0', attestedAt, kid: attestor.signer.kid },
      ...{ requestId: randomUUID(), bundleJson: JSON.stringify(sealed.bundle), metaJson: JSON.stringify(meta) },
      ...{ publicCerJson: null, resealedCertificateHash: null, createdAt: attestedAt, timestamp: attestedAt },
      commitmentSecretId: null,
    };
  };
}

const keyFiles = (home) => ({
  KEYS_FILE: join(home, 'keys.json'),
  COMMITMENT_SECRET_FILE: join(home, 'secrets.json'),
});

/** A node's folder with a database of its own, open as a store. */
async function openPlace(folder, name) {
  const home = join(folder, name);
  const path = join(home, 'node.sqlite');
  const store = await openStore({ databaseUrl: `sqlite:${path}`, queueLimit: 10_000 });
  const { signer } = createKeyFile(join(home, 'keys.json'), { nodeId: NODE_ID, now: new Date('2026-01-01T00:00:00Z') });
  execFileSync(process.execPath, [NODE_MAIN, 'init'], { env: { ...process.env, ...keyFiles(home) }, stdio: 'ignore' });
  const { tenantId } = await store.tenants.createTenant('scale');
  const key = `cer_live_${randomBytes(32).toString('base64url')}`;
  const keyHash = createHash('sha256').update(key).digest('hex');
  await store.tenants.createApiKey({ tenantId, keyHash, prefix: 'cer_live_scale', scopes: ['audit'] });
  const attestor = { signer, nodeId: NODE_ID, nodeRuntimeHash: sha256('scale') };
  return { name, home, path, store, tenantId, key, hashes: [], make: recordMaker(attestor, tenantId) };
}

const made = (place, count) => Promise.all(Array.from({ length: count }, () => place.make()));

/** Inserts records, and keeps the hashes of some of them to look up later. */
async function insert(place, records) {
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let record = records[next++]; record !== undefined; record = records[next++]) {
        if (!(await place.store.records.recordOnce(record)).recorded) throw new Error('must be recorded');
      }
    }),
  );
  for (let index = 0; index < records.length; index += 20) place.hashes.push(records[index].certificateHash);
}

async function fill(place, rows) {
  const startedAt = performance.now();
  for (let done = 0; done < rows; done += 5000) {
    await insert(place, await made(place, Math.min(5000, rows - done)));
    if (done % 100_000 === 95_000) {
      console.log(`  ${done + 5000} records, ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
  }
}

async function perSecond(count, work) {
  const startedAt = performance.now();
  await work();
  return count / ((performance.now() - startedAt) / 1000);
}

const pick = (list) => list[Math.floor(Math.random() * list.length)];

async function insertRate(place, count) {
  const records = await made(place, count);
  return perSecond(count, () => insert(place, records));
}

const lookupRate = (place, count) =>
  perSecond(count, async () => {
    for (let at = 0; at < count; at += 1) {
      if ((await place.store.records.findByHash(pick(place.hashes))) === null) throw new Error('must be found');
    }
  });

/** Pages of a hundred from random places, all records or those of one application. */
function pageRate(place, count, filter = {}) {
  const { recordList } = place.store;
  return perSecond(count, async () => {
    for (let at = 0; at < count; at += 1) {
      const after = await recordList.place(place.tenantId, pick(place.hashes), 'full');
      await recordList.page({ tenantId: place.tenantId, ...filter }, at % 2 === 0 ? 'oldest' : 'newest', after, 100);
    }
  });
}

async function startNode(place) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = spawn(process.execPath, [NODE_MAIN], {
    env: {
      ...process.env,
      ...{ PORT: String(port), LOG_LEVEL: 'warn', DATABASE_URL: `sqlite:${place.path}` },
      ...keyFiles(place.home),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (
      await fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { child, url };
    await sleep(100);
  }
  throw new Error('the node did not start');
}

function rssMib(pid) {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Downloads a whole package. @returns seconds, and the memory of the node ten times a second */
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

const caseOf = (name, unit, found) => ({
  ...{ name, unit, median: median(found), min: Math.min(...found), max: Math.max(...found), rounds: found.length },
});

/** @param {{rows: number, rounds: number, verify?: boolean}} options */
export async function scaleCases({ rows, rounds, verify = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-scale-'));
  const running = [];
  try {
    const small = await openPlace(folder, 'small');
    const large = await openPlace(folder, 'large');
    await fill(large, rows);
    await fill(small, SMALL_ROWS);
    const kinds = {
      insert: ['inserts', 'rows/s', (place) => insertRate(place, 2000), 0.6, 'G12'],
      lookup: ['lookups by hash', 'lookups/s', (place) => lookupRate(place, 5000), 0.7, 'G14'],
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
    // Lookups and pages first: inserts would make ten thousand rows twenty.
    for (const kind of ['lookup', 'page', 'app', 'insert']) {
      const [, , measureRate] = kinds[kind];
      for (const place of [small, large]) await measureRate(place);
      for (let round = 0; round < rounds; round += 1) {
        for (const place of [small, large]) rates[kind][place.name].push(await measureRate(place));
      }
    }
    await small.store.close();
    await large.store.close();

    const exports = { small: [], large: [] };
    const nodes = { small: await startNode(small), large: await startNode(large) };
    running.push(nodes.small.child, nodes.large.child);
    const smallRows = SMALL_ROWS + (rounds + 1) * 2000;
    const largeRows = rows + (rounds + 1) * 2000;
    await download(nodes.small, small.key);
    for (let round = 0; round < rounds; round += 1) {
      exports.small.push(smallRows / (await download(nodes.small, small.key)).seconds);
    }
    const out = join(folder, 'package.zip');
    const { seconds, memory } = await download(nodes.large, large.key, out);
    exports.large.push(largeRows / seconds);
    for (let round = 0; round < rounds; round += 1) {
      exports.small.push(smallRows / (await download(nodes.small, small.key)).seconds);
    }
    const fifth = Math.ceil(memory.length / 5);
    const early = Math.max(...memory.slice(0, fifth));
    const late = Math.max(...memory.slice(fifth));
    console.log(
      `  package of ${largeRows} records: ${Math.round(statSync(out).size / 1e6)} MB in ${Math.round(seconds)} s; ` +
        `memory of the node at most ${Math.round(early)} MiB in the first fifth, ${Math.round(late)} MiB after it`,
    );
    if (verify) verifyPackage(out, nodes.large.url, largeRows);
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

/** Checks the whole package with the command line, with the keys as the node publishes them. */
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
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      verify: { type: 'boolean' },
    },
  });
  const { cpu, node, loadavgBefore } = environment();
  console.log(`${cpu}, node ${node}, load ${loadavgBefore.join(' ')}`);
  const rounds = Number(values.rounds);
  const { cases, ratios } = await scaleCases({ rows: Number(values.rows), rounds, verify: values.verify === true });
  printCases(cases);
  printRatios(ratios);
  if (ratios.some(({ pass }) => !pass)) process.exitCode = 1;
}
