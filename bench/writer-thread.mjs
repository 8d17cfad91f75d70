// SQLite with a writer thread and without: certify on nodes in separate processes, and the store alone.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile } from '@cer/keys/testing/key-file';
import { openStore } from '../apps/node/dist/store/index.js';
import { launchArguments } from '../scripts/services/launch.mjs';
import { assertAllKept, load, loadCase, start } from './certify.mjs';
import { caseOf, clocks, median, ratio } from './measure.mjs';
import { attestorOf, insert, made, recordMaker } from './scale-places.mjs';

const words = launchArguments(`${import.meta.dirname}/..`, 'node');
const CONNECTIONS = 64;
const WAYS = ['off', 'on'];
const STORED = 640;

async function startNode(folder, writer) {
  const env = {
    DATABASE_URL: `sqlite:${folder}/node.sqlite`,
    KEYS_FILE: `${folder}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/secrets.json`,
    SQLITE_WRITER_THREAD: writer,
  };
  const key = execFileSync(process.execPath, [words.at(-1), 'api-key', 'create', '--tenant', 'bench'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { ...(await start(words, env, key.trim())), file: `${folder}/node.sqlite`, runs: [], acknowledged: 0 };
}

/** CPU time of all threads, and how long the event loop was held, for a record that is stored with 63 others. */
async function storeRuns(folder, rounds) {
  const { signer } = createKeyFile(join(folder, 'keys.json'), { nodeId: 'bench', now: new Date() });
  const places = {};
  for (const way of WAYS) {
    const databaseUrl = `sqlite:${folder}/store-${way}.sqlite`;
    const store = await openStore({ databaseUrl, queueLimit: 1000, writerThread: way === 'on' ? {} : undefined });
    places[way] = {
      store,
      hashes: [],
      rows: 0,
      make: recordMaker(attestorOf(signer), 'bench', 0),
      cpuUs: [],
      heldUs: [],
    };
  }
  for (let round = -1; round < rounds; round += 1) {
    for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
      const place = places[way];
      const records = await made(place, STORED);
      const [cpu, loop] = [clocks.cpu(), performance.eventLoopUtilization()];
      await insert(place, records);
      const held = performance.eventLoopUtilization(loop).active;
      if (round < 0) continue;
      place.cpuUs.push(((clocks.cpu() - cpu) * 1e6) / STORED);
      place.heldUs.push((held * 1000) / STORED);
    }
  }
  for (const way of WAYS) await places[way].store.close();
  return places;
}

export async function writerCases({ rounds, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-writer-'));
  const stores = await storeRuns(folder, rounds * 3);
  const nodes = {};
  try {
    for (const way of WAYS) nodes[way] = await startNode(join(folder, way), way);
    for (let round = -1; round < rounds; round += 1) {
      // The other one first in each second round.
      for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const run = await load(nodes[way], CONNECTIONS, seconds);
        nodes[way].acknowledged += run.done;
        // The first round compiles.
        if (round >= 0) nodes[way].runs.push(run);
      }
    }
  } finally {
    for (const { child } of Object.values(nodes)) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }
  }
  for (const { file, acknowledged } of Object.values(nodes)) assertAllKept(file, acknowledged);
  rmSync(folder, { recursive: true });
  const onToOff = (member) => median(nodes.on.runs.map((run, at) => run[member] / nodes.off.runs[at][member]));
  const storeRatio = (what, member) => {
    const value = median(stores.on[member].map((one, at) => one / stores.off[member][at]));
    return ratio('writer', `${what} of a record in the store, writer thread on / off`, value, 1, { atMost: true });
  };
  const titled = (what, member, options) =>
    ratio('writer', `${what}, writer thread on / off, ${CONNECTIONS} connections`, onToOff(member), 1, options);
  return {
    cases: WAYS.flatMap((way) => [
      loadCase(`certify, writer thread ${way}, ${CONNECTIONS} connections`, nodes[way].runs),
      caseOf(`a record in the store, writer thread ${way}, CPU of all threads`, 'us', stores[way].cpuUs),
      caseOf(`a record in the store, writer thread ${way}, event loop held`, 'us', stores[way].heldUs),
    ]),
    ratios: [
      titled('certify', 'rate'),
      titled('CPU a request', 'cpuUs', { atMost: true }),
      titled('p99 of a request', 'p99', { atMost: true }),
      titled('p99 of the delay of the event loop', 'delayP99Ms', { atMost: true }),
      storeRatio('CPU', 'cpuUs'),
      storeRatio('event loop held', 'heldUs'),
    ],
  };
}
