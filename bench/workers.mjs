// W1, W2: certify with two workers and with one process, on SQLite and on PostgreSQL, by the same clients on the same
// cores. The clients' own CPU time is measured: a node with two cores of its own makes more.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import Database from 'better-sqlite3';
import pg from 'pg';
import { launchArguments } from '../scripts/services/launch.mjs';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { loadCase, CERTIFY_BODY } from './certify.mjs';
import { median, ratio } from './measure.mjs';

const root = `${import.meta.dirname}/..`;
const CONNECTIONS = 64;
const TICK_US = 10_000;

/** CPU time of a process and of those that it started, all threads. */
function cpuUsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return (Number(user) + Number(system)) * TICK_US + children.reduce((sum, child) => sum + cpuUsOf(child), 0);
}

async function startNode(folder, name, databaseUrl, workers) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    KEYS_FILE: `${folder}/${name}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/${name}/secrets.json`,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const words = launchArguments(root, 'node');
  const run = (...args) => execFileSync(process.execPath, [words.at(-1), ...args], { env, encoding: 'utf8' }).trim();
  run('init');
  const apiKey = run('api-key', 'create', '--tenant', 'bench');
  const child = spawn(process.execPath, words, {
    env: { ...env, NODE_WORKERS: String(workers) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await fetch(`${url}/ready`).then(
      (response) => response.json(),
      () => null,
    );
    if (answer?.status === 'ready' && answer.warnings === undefined) return { child, url, apiKey, acknowledged: 0 };
    await sleep(100);
  }
  throw new Error(`${name} did not start`);
}

async function load(node, seconds) {
  const before = cpuUsOf(node.child.pid);
  const ownBefore = process.cpuUsage();
  const result = await autocannon({
    url: `${node.url}/v1/cer/ai/certify`,
    method: 'POST',
    connections: CONNECTIONS,
    duration: seconds,
    idReplacement: true,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${node.apiKey}` },
    body: CERTIFY_BODY,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  const done = result['2xx'];
  const own = process.cpuUsage(ownBefore);
  node.acknowledged += done;
  return {
    rate: done / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuUs: (cpuUsOf(node.child.pid) - before) / done,
    clientCpuUs: (own.user + own.system) / done,
  };
}

const STORED = 'select count(*) as stored from executions';

const KINDS = [
  {
    kind: 'SQLite',
    id: 'W1',
    databaseOf: (folder, _server, name) => `sqlite:${folder}/${name}/node.sqlite`,
    stored: async (url) => {
      const database = new Database(url.slice('sqlite:'.length), { readonly: true });
      const { stored } = database.prepare(STORED).get();
      database.close();
      return stored;
    },
  },
  {
    kind: 'PostgreSQL',
    id: 'W2',
    databaseOf: (_folder, server, name) => server.createDatabase(name),
    stored: async (url) => {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query(STORED);
      await client.end();
      return Number(rows[0].stored);
    },
  },
];

export async function workerCases({ rounds, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  const server = await startPostgresServer();
  const cases = [];
  const ratios = [];
  try {
    for (const { kind, id, databaseOf, stored } of KINDS) {
      const nodes = [];
      for (const workers of [1, 2]) {
        const name = `${id.toLowerCase()}_${workers}`;
        const databaseUrl = await databaseOf(folder, server, name);
        const node = await startNode(folder, name, databaseUrl, workers);
        nodes.push({ ...node, workers, databaseUrl, runs: [] });
      }
      try {
        for (const node of nodes) await load(node, seconds);
        for (let round = 0; round < rounds; round += 1) {
          for (const node of nodes) node.runs.push(await load(node, seconds));
        }
      } finally {
        for (const { child } of nodes) {
          child.kill('SIGKILL');
          if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
        }
      }
      for (const { acknowledged, databaseUrl, workers, runs } of nodes) {
        const kept = await stored(databaseUrl);
        if (kept < acknowledged) throw new Error(`${acknowledged} were acknowledged, ${kept} are stored`);
        const client = Math.round(median(runs.map(({ clientCpuUs }) => clientCpuUs)));
        cases.push(loadCase(`certify, ${kind}, ${workers} processes, clients ${client} us/request`, runs));
      }
      const [one, two] = nodes.map(({ runs }) => median(runs.map(({ rate }) => rate)));
      ratios.push(ratio(id, `certify, 2 workers / 1 process, ${kind}`, two / one, 1.5));
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  return { cases, ratios };
}
