// One run: load, kills and disturbances at random points, then the invariants.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runNode } from '../scripts/setup/run-program.mjs';
import { startCluster } from './cluster.mjs';
import { readLogs } from './independent-reader.mjs';
import { checkInvariants } from './invariants.mjs';
import { Ledger } from './ledger.mjs';
import { startLoad } from './load.mjs';
import { randomFrom, weighted } from './random.mjs';
import { Renders } from './renders.mjs';

/** Seconds that a clock is set back. Nodes refuse to sign then; one that is ahead would make all others refuse. */
const CLOCK_BACK_S = 3_000;
const REPLAYED_AT_END = 1_000;

/**
 * @param {{seconds: number, kills?: number, first?: readonly string[], seed: number, nodes: number, clients: number, isSmall?: boolean, log?: (line: string) => void}} options
 *   ends after `seconds`, or earlier after `kills`; `first` are the kinds of the first kills, the others are random
 * @returns {Promise<{breaches: string[], facts: object}>}
 */
export async function torture({
  seconds,
  kills = Infinity,
  first = [],
  seed,
  nodes,
  clients,
  isSmall = false,
  log = () => undefined,
}) {
  const random = randomFrom(seed);
  const cluster = await startCluster({ nodes, isSmall });
  const facts = { seed, nodes, clients, kills: {}, cut: 0, delays: 0, clockJumps: 0 };
  const ledger = new Ledger();
  const renders = new Renders(ledger);
  if (cluster.noRenderer !== null) facts.noRenderer = cluster.noRenderer;
  const due = first.filter((name) => name !== 'renderer' || cluster.noRenderer === null);
  try {
    const load = startLoad(cluster, ledger, { renders, random, clients });
    const began = Date.now();
    try {
      for (let count = 0; Date.now() - began < seconds * 1000 && count < kills;) {
        await sleep(200 + random() * 1_300);
        count += await disturb(cluster, due.shift() ?? weighted(random, DISTURBANCES), {
          load,
          renders,
          random,
          facts,
        });
        log(
          `${Math.round((Date.now() - began) / 1000)} s: ${count} kills, ${ledger.acknowledged} acknowledged, ${ledger.breaches.length} breaches`,
        );
      }
    } finally {
      await load.stop();
    }
    facts.seconds = Math.round((Date.now() - began) / 1000);
    for (const member of cluster.members) {
      if (member.failure !== undefined) ledger.breaches.push(member.failure);
      await member.ready();
    }
    if (cluster.noRenderer === null) await renders.recovered(cluster.nodeUrls, load.render);
    const spooled = await drainSpool(cluster);
    await replays(cluster, ledger);
    const keySet = await (await fetch(`${cluster.nodeUrls[0]}/.well-known/svc-node.json`)).json();
    const judged = await checkInvariants({
      databaseUrl: cluster.databaseUrl,
      keySet,
      entries: ledger.entries(),
      spooled,
      renders,
    });
    const read = await readLogs({
      nodeUrl: cluster.nodeUrls[0],
      policy: readFileSync(cluster.path('policy.txt'), 'utf8'),
      leaves: judged.facts.log.leaves,
    });
    const { acknowledged, refused, unanswered, size } = ledger;
    return {
      breaches: [...ledger.breaches, ...judged.breaches, ...read.breaches],
      facts: {
        ...facts,
        acknowledged,
        executions: size,
        conflicts: refused,
        unanswered,
        interruptedRenders: renders.interrupted,
        spooled,
        ...judged.facts,
        read: read.facts,
      },
    };
  } finally {
    await cluster.stop();
  }
}

/** How often each happens. */
const DISTURBANCES = [
  [45, 'node'],
  [12, 'postgres'],
  [8, 'witness'],
  [8, 'bridge'],
  [8, 'renderer'],
  [7, 'dashboard'],
  [10, 'spool'],
  [6, 'cut'],
  [4, 'delay'],
];

/** One kill or one disturbance. @returns the number of kills */
async function disturb(cluster, name, { load, renders, random, facts }) {
  const killed = (name) => {
    facts.kills[name] = (facts.kills[name] ?? 0) + 1;
    return 1;
  };
  if (name === 'cut') {
    facts.cut += cluster.databaseProxy.cut();
    return 0;
  }
  if (name === 'delay') {
    facts.delays += 1;
    cluster.databaseProxy.delay(50 + random() * 250);
    await sleep(1_000);
    cluster.databaseProxy.delay(0);
    return 0;
  }
  if (name === 'postgres') {
    await cluster.postgres.crash();
    return killed(name);
  }
  const candidates = cluster.members.filter((member) => member.name.startsWith(name));
  if (candidates.length === 0) return 0;
  const member = candidates[Math.floor(random() * candidates.length)];
  if (name === 'renderer') await renders.interrupt(load.render, () => member.kill(), random);
  else await member.kill();
  if (name === 'node' && cluster.hasFaketime && random() < 0.25) {
    facts.clockJumps += 1;
    await member.start({ more: cluster.clockOff(-Math.round(60 + random() * CLOCK_BACK_S)), isAble: false });
    await sleep(3_000);
    await member.kill();
  }
  await member.start();
  return killed(name);
}

/** Sends the bundles of killed programs, with the command of operators. @returns the number of calls that had ended */
async function drainSpool({ path, spool, nodeUrls, apiKey }) {
  await spool.kill('SIGKILL');
  const cli = join(import.meta.dirname, '..', 'apps', 'cli', 'dist', 'main.js');
  const run = (...args) =>
    runNode([cli, 'spool', ...args], { cwd: path(), env: { ...process.env, CER_API_KEY: apiKey } });
  const drained = await run('drain', path('spool'), '--node', nodeUrls[0]);
  const status = await run('status', path('spool'));
  if (status.code !== 0) throw new Error(`the spool was not drained: ${drained.output}\n${status.output}`);
  return existsSync(path('spooled.txt')) ? readFileSync(path('spooled.txt'), 'utf8').split('\n').length - 1 : 0;
}

/** Replays through every node, with the ledger's comparison of bodies. */
async function replays({ nodeUrls, apiKey }, ledger) {
  const entries = ledger.entries().filter(([, { digest }]) => digest !== null);
  const step = Math.max(1, Math.floor(entries.length / REPLAYED_AT_END));
  for (let index = 0; index < entries.length; index += step) {
    const [id, { request }] = entries[index];
    const answer = await fetch(`${nodeUrls[index % nodeUrls.length]}/v1/cer/ai/certify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(request),
    });
    const text = await answer.text();
    if (answer.status === 200) ledger.acknowledge(id, JSON.parse(text).certificateHash, text, request);
    else ledger.breaches.push(`${id} is not replayed: ${answer.status} ${text.slice(0, 200)}`);
  }
}
