// G17, G18: certify with the transparency log on against off, each node in its own process; and how far its log is behind.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { caseOf, load, start } from './certify.mjs';
import { launchArguments } from '../scripts/services/launch.mjs';
import { median, ratio } from './measure.mjs';

const words = launchArguments(`${import.meta.dirname}/..`, 'node');
const main = words.at(-1);
const CONNECTIONS = 64;

export async function logCases({ rounds, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-log-'));
  const nodes = {
    off: await startNode(join(folder, 'off'), {}),
    on: await startNode(join(folder, 'on'), { LOG_ORIGIN: 'bench.example/log' }),
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
    for (const { child } of Object.values(nodes)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
  }
  const bytes = bytesOfLeaf(nodes.on.file);
  rmSync(folder, { recursive: true });
  const middle = (name, member) => median(runs[name].map((run) => run[member]));
  return {
    cases: [
      ...['off', 'on'].map((name) => caseOf(`certify, log ${name}, ${CONNECTIONS} connections`, runs[name])),
      single('all leaves have their place after the load', 'ms', behindMs),
      single('bytes of a leaf, tiles included', 'bytes', bytes),
    ],
    ratios: [
      ratio('G17', 'certify, log on / off, 64 connections', middle('on', 'rate') / middle('off', 'rate'), 0.9),
      ratio('G18', 'CPU a request, log on / off', middle('on', 'cpuUs') / middle('off', 'cpuUs'), 1.1, {
        atMost: true,
      }),
    ],
  };
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

/** Pages of the tables and indexes of the log, by leaf. */
function bytesOfLeaf(file) {
  const database = new Database(file, { readonly: true });
  const one = (sql) => Object.values(database.prepare(sql).get())[0];
  const bytes = one("select sum(pgsize) from dbstat where name like 'log_%' or name like 'sqlite_autoindex_log_%'");
  const leaves = one('select count(*) from log_leaves');
  database.close();
  return bytes / leaves;
}

function single(name, unit, value) {
  return { name, unit, median: value, min: value, max: value, rounds: 1 };
}
