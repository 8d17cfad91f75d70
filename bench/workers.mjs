// W1, W2: certify with two workers and with one process, on SQLite and on PostgreSQL, by the same clients on the same
// cores. The clients take cores from the node, so the ratio is not that of the rates: it is that of the capacities on
// cores without clients, computed from the CPU time of a request.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import Database from 'better-sqlite3';
import pg from 'pg';
import { launchArguments } from '../scripts/services/launch.mjs';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { CERTIFY_BODY, loadCase, warmUp } from './certify.mjs';
import { median, ratio } from './measure.mjs';
import { somePort } from './some-port.mjs';

const root = `${import.meta.dirname}/..`;
const CONNECTIONS = 64;
const TICK_US = 10_000;

/** CPU time of a thread or a whole process, from its file `stat`. */
function cpuUsIn(file) {
  const stat = readFileSync(file, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK_US;
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
}

/** CPU time of a node: of all threads of its processes, and of the event loops of those that serve. */
function cpuUsOf({ child: { pid }, workers }) {
  const serving = workers === 1 ? [pid] : childrenOf(pid);
  const sum = (files) => files.map(cpuUsIn).reduce((total, us) => total + us, 0);
  return {
    all: sum([...new Set([pid, ...serving])].map((process) => `/proc/${process}/stat`)),
    loops: sum(serving.map((process) => `/proc/${process}/task/${process}/stat`)),
  };
}

/** Certifies per second without clients on the cores: until an event loop or all cores are busy the whole time. */
function capacityOf({ workers, runs }) {
  const [cpuUs, loopUs] = ['cpuUs', 'loopUs'].map((member) => median(runs.map((run) => run[member])));
  return 1e6 * Math.min(workers / loopUs, availableParallelism() / cpuUs);
}

async function startNode(folder, name, databaseUrl, workers) {
  const port = somePort();
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
  const before = cpuUsOf(node);
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
  const after = cpuUsOf(node);
  node.acknowledged += done;
  return {
    rate: done / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuUs: (after.all - before.all) / done,
    loopUs: (after.loops - before.loops) / done,
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
        for (const node of nodes) await warmUp(() => load(node, seconds));
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
        const [client, loop] = ['clientCpuUs', 'loopUs'].map((name) =>
          Math.round(median(runs.map((run) => run[name]))),
        );
        const split = `event loops ${loop}, clients ${client} us/request`;
        cases.push(loadCase(`certify, ${kind}, ${workers} processes, ${split}`, runs));
      }
      const [one, two] = nodes.map(capacityOf);
      ratios.push(ratio(id, `capacity of 2 workers / of 1 process, ${kind}`, two / one, 1.5));
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  return { cases, ratios };
}
