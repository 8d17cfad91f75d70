// G3, G4, G5, G6 and certify by number of connections: each server in its own process, every request a new execution.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import Database from 'better-sqlite3';
import { launchArguments } from '../scripts/services/launch.mjs';
import { caseOf, median, ratio } from './measure.mjs';
import { somePort } from './some-port.mjs';

const root = `${import.meta.dirname}/..`;
/** Of a machine with other work, where Node.js alone takes seconds. */
const STARTED_WITHIN_S = 120;
export const PLAIN_KEY = `cer_live_${'b'.repeat(43)}`;

/** About 1.6 KB. */
export const CERTIFY_BODY = JSON.stringify({
  executionId: 'bench-[<id>]',
  provider: 'example',
  model: 'example-large-2',
  input: 'What does a certificate prove, and to whom? '.repeat(12),
  output: 'That this content was described, at this time, by this node. '.repeat(6),
  parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: 42 },
  signals: [{ type: 'policy.check', source: 'bench', payload: { rule: 'no-secrets', passed: true, score: 0.97 } }],
});

/** @param {readonly string[]} words arguments of Node.js */
export async function start(words, env, apiKey) {
  const port = somePort();
  const observer = `${root}/bench/servers/observe.mjs`;
  const child = spawn(process.execPath, ['--import', observer, ...words], {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port), LOG_LEVEL: 'warn', BENCH_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < STARTED_WITHIN_S * 10; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${words.join(' ')} ended with ${child.exitCode}`);
    if (
      await fetch(`${url}/ready`).then(
        () => true,
        () => false,
      )
    )
      return { child, url, apiKey };
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error(`${words.join(' ')} did not start within ${STARTED_WITHIN_S} s`);
}

/** The use of a server since the last call: CPU time of all threads, event-loop delay, transactions. */
export async function observe(child) {
  const answer = once(child, 'message');
  child.send('observe');
  return (await answer)[0];
}

export async function load({ child, url, apiKey }, connections, seconds) {
  await observe(child);
  const result = await autocannon({
    url: `${url}/v1/cer/ai/certify`,
    method: 'POST',
    connections,
    duration: seconds,
    idReplacement: true,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: CERTIFY_BODY,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  const done = result['2xx'];
  const { cpuUs, delayP99Ms, transactions } = await observe(child);
  return {
    rate: done / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuUs: cpuUs / done,
    delayP99Ms,
    rowsPerTransaction: transactions === 0 ? 0 : done / transactions,
    done,
  };
}

/** Share by which a load must take less CPU time per request than the least before for the warm-up to continue. */
const STILL_CHEAPER = 0.03;
const MAX_WARM_UP_LOADS = 10;

/** Loads a server until its code is compiled: until a request takes no less CPU time than before. */
export async function warmUp(loadOnce) {
  let least = Infinity;
  for (let loads = 0; loads < MAX_WARM_UP_LOADS; loads += 1) {
    const { cpuUs } = await loadOnce();
    if (cpuUs > least * (1 - STILL_CHEAPER)) return;
    least = cpuUs;
  }
}

export async function certifyCases({ rounds, seconds, connectionCounts }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  const envIn = (name) => ({
    DATABASE_URL: `sqlite:${folder}/${name}/node.sqlite`,
    KEYS_FILE: `${folder}/${name}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/${name}/secrets.json`,
  });
  const nodeEnv = envIn('ours');
  const unsetEnv = envIn('unset');
  const words = launchArguments(root, 'node');
  const main = words.at(-1);
  const launch = words.slice(0, -1);
  const keyFor = (env) =>
    execFileSync(process.execPath, [main, 'api-key', 'create', '--tenant', 'bench'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }).trim();
  const floor = [...launch, `${root}/bench/servers/floor.mjs`];
  const servers = {
    ours: await start(words, nodeEnv, keyFor(nodeEnv)),
    'ours, without launch settings': await start([main], unsetEnv, keyFor(unsetEnv)),
    'ours, storage off': await start([...launch, `${root}/bench/servers/node-without-store.mjs`], {}, PLAIN_KEY),
    floor: await start(floor, { BENCH_DATABASE: `${folder}/floor.sqlite` }, PLAIN_KEY),
    'floor, storage off': await start(floor, {}, PLAIN_KEY),
    'plain stack': await start(
      [`${root}/bench/servers/plain-stack.mjs`],
      { BENCH_DATABASE: `${folder}/plain.sqlite` },
      PLAIN_KEY,
    ),
  };
  let acknowledged = 0;
  const runs = new Map(Object.keys(servers).map((name) => [name, []]));
  const cases = [];
  try {
    const loadOnce = async (name) => {
      const run = await load(servers[name], 64, seconds);
      if (name === 'ours') acknowledged += run.done;
      return run;
    };
    for (const name of Object.keys(servers)) await warmUp(() => loadOnce(name));
    for (let round = 0; round < rounds; round += 1) {
      for (const name of Object.keys(servers)) runs.get(name).push(await loadOnce(name));
    }
    for (const connections of connectionCounts) {
      const run = await load(servers.ours, connections, seconds);
      acknowledged += run.done;
      cases.push(loadCase(`certify, ${connections} connections`, [run]));
    }
  } finally {
    for (const { child } of Object.values(servers)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
  }
  assertAllKept(`${folder}/ours/node.sqlite`, acknowledged);
  rmSync(folder, { recursive: true });

  for (const [name, found] of runs) cases.push(loadCase(`certify, ${name}, 64 connections`, found));
  const rateOf = (name) => median(runs.get(name).map(({ rate }) => rate));
  const cpuOf = (name) => median(runs.get(name).map(({ cpuUs }) => cpuUs));
  const spreadOf = (name) => median(runs.get(name).map(({ p50, p99 }) => p99 / p50));
  const storeOf = (name) => cpuOf(name) - cpuOf(`${name}, storage off`);
  return {
    cases,
    ratios: [
      ratio('G3', 'certify / bare floor, 64 connections', rateOf('ours') / rateOf('floor'), 0.6),
      ratio('G4', 'CPU of storing a row / that of the floor', storeOf('ours') / storeOf('floor'), 2.5, {
        atMost: true,
      }),
      ratio('G5', 'certify / plain stack, 64 connections', rateOf('ours') / rateOf('plain stack'), 28),
      ratio(
        'launch',
        'certify / without launch settings, 64 connections',
        rateOf('ours') / rateOf('ours, without launch settings'),
        1,
      ),
      ratio('G6', 'p99 / p50, ours / floor, 64 connections', spreadOf('ours') / spreadOf('floor'), 1.25, {
        atMost: true,
      }),
    ],
  };
}

export function loadCase(name, runs) {
  const rates = runs.map(({ rate }) => rate);
  const middle = (member) => median(runs.map((run) => run[member]));
  const long =
    `${name} (p50 ${middle('p50')} ms, p99 ${middle('p99')} ms, CPU ${Math.round(middle('cpuUs'))} us/request` +
    (runs[0]?.delayP99Ms === undefined
      ? ')'
      : `, ${Math.round(middle('rowsPerTransaction'))} rows/transaction, loop delay p99 ${Math.round(middle('delayP99Ms'))} ms)`);
  return caseOf(long, 'certifies/s', rates);
}

/** After SIGKILL every acknowledged record must be in the database. */
export function assertAllKept(file, acknowledged) {
  const database = new Database(file, { readonly: true });
  const { kept } = database.prepare('select count(*) as kept from executions').get();
  database.close();
  if (kept < acknowledged) throw new Error(`${acknowledged} were acknowledged, ${kept} are stored`);
}
