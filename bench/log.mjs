// G17 to G19: certify with the transparency log on against off, each node in its own process; how far its log is behind;
// a log of many leaves, and a log of Tessera.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { loadCase, load, start } from './certify.mjs';
import { bytesOfLeaf, measureLeaves } from './log-leaves.mjs';
import { launchArguments } from '../scripts/services/launch.mjs';
import { caseOf, median, ratio } from './measure.mjs';
import { measureTessera } from './tessera.mjs';

const words = launchArguments(`${import.meta.dirname}/..`, 'node');
const main = words.at(-1);
const CONNECTIONS = 64;
const LOG = { LOG_ORIGIN: 'bench.example/log' };
const TESSERA_LEAVES = 100_000;

export async function logCases({ rounds, seconds, leaves }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-log-'));
  const nodes = {
    off: await startNode(join(folder, 'off'), {}),
    on: await startNode(join(folder, 'on'), LOG),
  };
  const runs = { off: [], on: [] };
  let behindMs = 0;
  try {
    for (const node of Object.values(nodes)) await load(node, CONNECTIONS, seconds);
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ['off', 'on']) {
        runs[name].push(await load(nodes[name], CONNECTIONS, seconds));
        if (name === 'on') behindMs = Math.max(behindMs, await untilIntegrated(nodes.on.file));
      }
    }
  } finally {
    for (const node of Object.values(nodes)) await stop(node);
  }
  const bytes = bytesOfLeaf(nodes.on.file);
  const many = await manyLeaves(folder, leaves, seconds);
  const tessera = await measureTessera(join(folder, 'tessera'), Math.min(leaves, TESSERA_LEAVES));
  if ('missing' in tessera) console.log(`  no log of Tessera beside it: ${tessera.missing}`);
  rmSync(folder, { recursive: true });
  const middle = (name, member) => median(runs[name].map((run) => run[member]));
  return {
    cases: [
      ...['off', 'on'].map((name) => loadCase(`certify, log ${name}, ${CONNECTIONS} connections`, runs[name])),
      caseOf('all leaves have their place after the load', 'ms', [behindMs]),
      caseOf('bytes of a leaf, tiles included', 'bytes', [bytes]),
      caseOf(`leaves that get a place behind ${leaves} in 1,000 tenants`, 'leaves/s', [many.rate]),
      caseOf('memory of the node, first half', 'MiB', [many.earlyMib]),
      caseOf('memory of the node, second half', 'MiB', [many.lateMib]),
      caseOf(`first epoch over ${leaves} leaves`, 'ms', [many.first.ms]),
      caseOf('longest turn of the event loop in that epoch', 'ms', [many.first.delayMaxMs]),
      caseOf('next epoch, with a leaf of each of 1,000 tenants', 'ms', [many.next.ms]),
      caseOf('longest turn of the event loop in that epoch', 'ms', [many.next.delayMaxMs]),
      caseOf(`proof of a certificate, ${leaves} leaves, longest of 50`, 'ms', [many.proofMsLongest]),
      caseOf(`bytes of a leaf, ${leaves} leaves and the trees of tenants`, 'bytes', [many.bytes]),
      ...('missing' in tessera
        ? []
        : [
            caseOf('leaves that get a place in an empty POSIX log of Tessera', 'leaves/s', [tessera.rate]),
            caseOf('proof from the files of that log', 'ms', [tessera.proofMs]),
          ]),
    ],
    ratios: [
      ratio('G17', 'certify, log on / off, 64 connections', middle('on', 'rate') / middle('off', 'rate'), 0.9),
      ratio('G18', 'CPU a request, log on / off', middle('on', 'cpuUs') / middle('off', 'cpuUs'), 1.1, {
        atMost: true,
      }),
      ratio('G19', 'ms for a proof among the leaves, over HTTP', many.proofMs, 20, { atMost: true }),
      ratio('G19', 'seconds until a leaf has its place, at full load', many.lagMs / 1000, 2, { atMost: true }),
      ratio('G19', 'memory, second half of the leaves / first', many.lateMib / many.earlyMib, 1.2, { atMost: true }),
    ],
  };
}

async function manyLeaves(folder, leaves, seconds) {
  let node;
  const startAgain = async (more) => (node = await startNode(join(folder, 'many'), { ...LOG, ...more }));
  try {
    return await measureLeaves({ leaves, seconds, startNode: startAgain, stop });
  } finally {
    if (node !== undefined) await stop(node);
  }
}

/** Ends a node as an operator does: a killed one keeps the lease of the log for some seconds. */
async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'close');
}

async function startNode(folder, more) {
  const file = `${folder}.sqlite`;
  const env = {
    DATABASE_URL: `sqlite:${file}`,
    KEYS_FILE: `${folder}-keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}-secrets.json`,
    ...more,
  };
  const apiKey = execFileSync(process.execPath, [main, 'api-key', 'create', '--tenant', 'bench'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  }).trim();
  return { ...(await start(words, env, apiKey)), file };
}

/** @returns milliseconds until no stored leaf waits for its place */
async function untilIntegrated(file) {
  const database = new Database(file, { readonly: true });
  const before = performance.now();
  const waiting = database.prepare('select 1 from log_leaves where log_index is null limit 1');
  while (waiting.get() !== undefined) await sleep(20);
  database.close();
  return performance.now() - before;
}
