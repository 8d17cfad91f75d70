// npm run several-nodes -- [--seconds N] [--clients N] [--before FOLDER]
// Three nodes, two bridges and two dashboards on one PostgreSQL, through pgbouncer in transaction mode, behind haproxy, and
// a witness of the nodes' log. A node is killed every few seconds under load, at times one of the others, the database is
// restarted, and every service is replaced in turn. The clients are those of @cer/client with their retries: any error
// that one sees is a breach.
//   --seconds  of load with kills, before and after the restart of the database; 60
//   --clients  that certify at once; 16
//   --before   a built checkout of an earlier release: the services start from it, and are replaced under load
//   npm run several-nodes -- --seconds 120
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNodeClient } from '@cer/client/node-client';
import { numberOf, readOptions } from '../scripts/setup/options.mjs';
import { runNode } from '../scripts/setup/run-program.mjs';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { freePorts } from './cluster.mjs';
import { missingPrograms, startHaproxy, startPgbouncer } from './front.mjs';
import { readLogs } from './independent-reader.mjs';
import { checkInvariants } from './invariants.mjs';
import { Ledger } from './ledger.mjs';
import { Member } from './member.mjs';
import { randomFrom } from './random.mjs';

const NODES = 3;
const OTHERS = 2;
const KILL_EVERY_MS = 4_000;
/** Every fifth kill takes a dashboard, a bridge or the witness. */
const OTHER_EVERY = 5;
/** A client retries for about half a minute. */
const RETRIES = 12;
const LOG_ORIGIN = 'several.example/log';

const { values } = readOptions(import.meta.filename, {
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '16' },
    before: { type: 'string' },
  },
});
const [seconds, clients] = [numberOf(values, 'seconds'), numberOf(values, 'clients', 1)];
const missing = missingPrograms();
if (missing.length > 0) {
  console.log(`several-nodes: not run: ${missing.join(' and ')} not installed (apt-get install ${missing.join(' ')})`);
  process.exit();
}
const here = join(import.meta.dirname, '..');
const first = values.before === undefined ? here : resolve(values.before);
const mainOf = (root, app) => join(root, 'apps', app, 'dist', 'main.js');
/** Releases with a log bring a witness. */
const hasLog = existsSync(mainOf(first, 'witness'));

const folder = mkdtempSync(join(tmpdir(), 'cer-several-'));
const path = (...names) => join(folder, ...names);
const postgres = await startPostgresServer();
const ports = await freePorts(2 + 3 + NODES + 2 * OTHERS);
const [pgbouncerPort, witnessPort, nodeFront, dashboardFront, bridgeFront, ...own] = ports;
const nodePorts = own.slice(0, NODES);
const dashboardPorts = own.slice(NODES, NODES + OTHERS);
const bridgePorts = own.slice(NODES + OTHERS);
const local = (port) => `http://127.0.0.1:${port}`;
const pgbouncer = startPgbouncer(folder, postgres.url, pgbouncerPort);
const haproxy = startHaproxy(folder, [
  { name: 'node', port: nodeFront, ports: nodePorts },
  { name: 'dashboard', port: dashboardFront, ports: dashboardPorts },
  { name: 'bridge', port: bridgeFront, ports: bridgePorts },
]);
const members = [];
const ledger = new Ledger();
const errors = new Map();
const latencies = [];
const facts = { kills: { node: 0, dashboard: 0, bridge: 0, witness: 0 }, databaseRestarts: 0, replaced: 0, found: 0 };
try {
  const { apiKey, migrate } = await startServices();
  console.log(`${members.length} services are ready; load average ${loadavg()[0].toFixed(1)}`);
  const load = startLoad(apiKey);
  await withKills(seconds / 2);
  await postgres.crash();
  facts.databaseRestarts += 1;
  console.log(`database restarted; ${ledger.acknowledged} acknowledged`);
  await withKills(seconds / 2);
  await migrate();
  for (const member of members) await replace(member);
  console.log(`${facts.replaced} services replaced, one by one; ${ledger.acknowledged} acknowledged`);
  await load.stop();
  await sameOnEveryNode(apiKey);
  const keySet = await (await fetch(`${local(nodeFront)}/.well-known/svc-node.json`)).json();
  const judged = await checkInvariants({
    databaseUrl: `${postgres.url.replace(/\/postgres$/, '/node')}`,
    ...{ keySet, entries: ledger.entries(), spooled: 0, hasLog },
  });
  const read =
    hasLog &&
    (await readLogs({
      nodeUrl: local(nodeFront),
      policy: readFileSync(path('policy.txt'), 'utf8'),
      leaves: judged.facts.log.leaves,
    }));
  if (read) judged.breaches.push(...read.breaches);
  if (read) judged.facts.read = read.facts;
  report(judged);
} finally {
  for (const member of members) await member.kill('SIGTERM');
  await haproxy.stop();
  await pgbouncer.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startServices() {
  writeFileSync(path('token'), `${'t'.repeat(43)}\n`, { mode: 0o600 });
  const url = async (name) => pgbouncer.urlOf(await postgres.createDatabase(name));
  const controlPlane = { CONTROL_PLANE_URL: local(dashboardFront), CONTROL_PLANE_TOKEN_FILE: path('token') };
  const nodeCommands = {
    ...{ DATABASE_URL: await url('node'), KEYS_FILE: path('keys.json'), COMMITMENT_SECRET_FILE: path('secrets.json') },
    ...controlPlane,
    ...(hasLog && { LOG_ORIGIN }),
  };
  const logEnv = {
    LOG_POLICY_FILE: path('policy.txt'),
    LOG_EVERY_MS: '200',
    LOG_EPOCH_S: '5',
    LOG_WITNESS_EVERY_S: '1',
  };
  const nodeEnv = { ...nodeCommands, ...(hasLog && logEnv), LOG_LEVEL: 'warn' };
  const dashboardEnv = {
    ...{ DATABASE_URL: await url('dashboard'), SERVICE_TOKEN_FILE: path('token'), JWKS_KEYS_FILE: path('jwks.json') },
    ...{ PUBLIC_URL: local(dashboardFront), LOG_LEVEL: 'warn' },
  };
  const bridgeEnv = {
    ...{ DATABASE_URL: await url('bridge'), NODE_URL: local(nodeFront), PUBLIC_URL: local(bridgeFront) },
    ...{ VERIFY_URL: 'https://verify.example', ...controlPlane, LOG_LEVEL: 'warn' },
  };
  await command('node', nodeCommands, ['init']);
  await command('node', nodeCommands, ['migrate']);
  if (hasLog) await startWitness(await command('node', nodeCommands, ['log', 'init']));
  const tenantId = await command('node', nodeCommands, ['tenant', 'create', '--name', 'several']);
  await command('dashboard', dashboardEnv, ['tenant', 'create', '--name', 'several', '--id', tenantId]);
  const apiKey = await command('dashboard', dashboardEnv, ['api-key', 'create', '--tenant', 'several']);
  for (const [app, env, usedPorts] of [
    ['dashboard', dashboardEnv, dashboardPorts],
    ['node', nodeEnv, nodePorts],
    ['bridge', bridgeEnv, bridgePorts],
  ]) {
    for (const [index, port] of usedPorts.entries()) {
      const member = new Member({
        ...{ name: `${app} ${index + 1}`, main: mainOf(first, app), readyUrl: `${local(port)}/ready` },
        env: () => ({ ...env, PORT: String(port) }),
      });
      members.push(member);
      await member.start();
    }
  }
  return { apiKey, migrate: () => command('node', nodeCommands, ['migrate'], here) };
}

/** One witness, with whose cosignatures the log's checkpoints are published. */
async function startWitness(logLines) {
  const database = path('witness.sqlite');
  const vkey = await command('witness', {}, ['init', '--name', 'witness.example/own', '--db', database]);
  writeFileSync(path('policy.txt'), `${logLines}\nwitness own ${vkey} ${local(witnessPort)}\nquorum own\n`);
  const logs = logLines.split('\n').map((line) => line.slice('log '.length));
  const witness = new Member({
    ...{ name: 'witness', main: mainOf(first, 'witness'), args: ['serve'], readyUrl: `${local(witnessPort)}/ready` },
    env: () => ({
      ...{ DATABASE_FILE: database, LOG_VKEYS: logs.join(' '), LOG_LEVEL: 'warn', PORT: String(witnessPort) },
    }),
  });
  members.push(witness);
  await witness.start();
}

async function command(app, env, words, root = first) {
  const main = mainOf(root, app);
  const { code, output } = await runNode([main, ...words], { cwd: root, env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`${app} ${words.join(' ')}: ${output}`);
  return output.trim();
}

function executionOf(executionId) {
  return { executionId, provider: 'example', model: 'example-1', input: `in ${executionId}`, output: 'out' };
}

/** Clients that certify new executions and, at times, one that another client has certified. */
function startLoad(apiKey) {
  let isOver = false;
  let count = 0;
  const random = randomFrom(1);
  const node = createNodeClient({ nodeUrl: local(nodeFront), apiKey, retries: RETRIES });
  /** What a node acknowledged is found through any other. */
  const find = async (certificateHash) => {
    const found = await node.lookup({ certificateHash });
    if (found.certificateHash !== certificateHash)
      ledger.breaches.push(`${certificateHash} is found as another record`);
    facts.found += 1;
  };
  const client = async () => {
    while (!isOver) {
      const known = random() < 0.1 ? ledger.sample(random) : null;
      const request = known ?? { ...executionOf(`s-${(count += 1)}`), createdAt: '2026-01-02T03:04:05.678Z' };
      const began = performance.now();
      try {
        const answer = await node.certify(request);
        latencies.push(performance.now() - began);
        ledger.acknowledge(request.executionId, answer.certificateHash, JSON.stringify(answer), request);
        await find(answer.certificateHash);
      } catch (error) {
        const name = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        errors.set(name, (errors.get(name) ?? 0) + 1);
      }
    }
  };
  const machine = async () => {
    while (!isOver) {
      const executions = Array.from({ length: 5 }, () => executionOf(`m-${(count += 1)}`));
      await sleep(500);
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
      const post = { method: 'POST', headers, body: JSON.stringify({ executions }) };
      // Without retries: executions that a bridge does not answer are not counted as acknowledged.
      const answer = await fetch(`${local(bridgeFront)}/api/v1/ingest/executions`, post).catch(() => null);
      if (answer === null || ![200, 207].includes(answer.status)) {
        facts.bridgeRefusals = (facts.bridgeRefusals ?? 0) + 1;
        continue;
      }
      const { results } = await answer.json();
      facts.viaBridge = (facts.viaBridge ?? 0) + results.filter(({ ok }) => ok).length;
      for (const { index, ok, certificateHash } of results) {
        if (ok) ledger.acknowledge(executions[index].executionId, certificateHash, null, executions[index]);
      }
    }
  };
  const running = Promise.all([...Array.from({ length: clients }, client), machine()]);
  return {
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}

async function withKills(seconds) {
  const appOf = ({ name }) => name.split(' ')[0];
  const nodes = members.filter((member) => appOf(member) === 'node');
  const others = members.filter((member) => appOf(member) !== 'node');
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    await sleep(KILL_EVERY_MS);
    const { node, dashboard, bridge, witness } = facts.kills;
    const killed = dashboard + bridge + witness;
    const isOther = (node + killed) % OTHER_EVERY === OTHER_EVERY - 1;
    const member = isOther ? others[killed % others.length] : nodes[node % nodes.length];
    await member.kill();
    facts.kills[appOf(member)] += 1;
    await member.start();
    console.log(`${member.name} killed and ready again; ${ledger.acknowledged} acknowledged`);
  }
}

/** Ends a service as an operator does, and starts this release's in its place. */
async function replace(member) {
  const app = member.name.split(' ')[0];
  await member.kill('SIGTERM');
  member.facts.main = mainOf(here, app);
  await member.start();
  facts.replaced += 1;
}

/** Every node has the same answer for the last executions. */
async function sameOnEveryNode(apiKey) {
  const last = ledger.entries().slice(-200);
  for (const port of nodePorts) {
    const node = createNodeClient({ nodeUrl: local(port), apiKey, retries: 2 });
    for (const [id, { certificateHash, request }] of last) {
      const answer = await node.certify(request);
      if (answer.certificateHash !== certificateHash) ledger.breaches.push(`${id} has another hash on port ${port}`);
    }
  }
}

function report(judged) {
  const breaches = [...ledger.breaches, ...judged.breaches];
  for (const [name, count] of errors) breaches.push(`clients saw ${name} ${count} times`);
  latencies.sort((a, b) => a - b);
  const at = (share) => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0);
  const clientMs = { p50: at(0.5), p99: at(0.99), longest: at(0.99999) };
  const { acknowledged, size: executions } = ledger;
  const date = new Date().toISOString();
  console.log(JSON.stringify({ date, ...facts, acknowledged, executions, clientMs, ...judged.facts }, null, 2));
  for (const breach of breaches.slice(0, 50)) console.log(`BREACH ${breach}`);
  console.log(`${breaches.length} breaches`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
