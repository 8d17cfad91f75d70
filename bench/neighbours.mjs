// The latency of one account's certify beside another account that sends large bodies or batches, against alone.
// Goal: p99 at most 5 times that of alone. Alone and beside alternate in short rounds, so that a busy machine slows both.
// The other account is a separate process, see attacker.mjs.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchArguments } from '../scripts/services/launch.mjs';
import { ratio } from './measure.mjs';
import { executions, poster } from './requests.mjs';
import { somePort } from './some-port.mjs';

const words = launchArguments(join(import.meta.dirname, '..'), 'node');
const main = words.at(-1);
const GOAL = 5;

/** A separate node with two accounts. */
async function startNode() {
  const folder = mkdtempSync(join(tmpdir(), 'cer-neighbours-'));
  const env = {
    ...process.env,
    DATABASE_URL: `sqlite:${folder}/node.sqlite`,
    KEYS_FILE: `${folder}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/secrets.json`,
    PORT: String(somePort()),
    LOG_LEVEL: 'warn',
    LIMITS_EXEMPT_ADDRESSES: '127.0.0.1',
    // Nothing listens there, because the sketches are refused before they are drawn.
    RENDERER_URL: 'http://127.0.0.1:9',
    RENDERER_TOKEN_FILE: `${folder}/token`,
  };
  writeFileSync(env.RENDERER_TOKEN_FILE, 'a-token-of-a-renderer-that-is-not-there', { mode: 0o600 });
  const keyOf = (tenant) =>
    execFileSync(process.execPath, [main, 'api-key', 'create', '--tenant', tenant], { env, encoding: 'utf8' }).trim();
  const [victim, attacker] = [keyOf('victim'), keyOf('attacker')];
  const url = `http://127.0.0.1:${env.PORT}`;
  const { post, close } = poster(url);
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    close();
    rmSync(folder, { recursive: true });
  };
  const isReady = () =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let attempt = 0; !(await isReady()); attempt += 1) {
    if (attempt > 300) {
      await stop();
      throw new Error('the node did not start');
    }
    await sleep(100);
  }
  return { url, post, victim, attacker, stop };
}

/** The victim's latencies in ms, one request after the other. */
async function latencies({ post, victim }, untilMs) {
  const found = [];
  const execution = executions(200);
  while (performance.now() < untilMs) {
    const body = execution();
    const since = performance.now();
    const status = await post('/v1/cer/ai/certify', victim, body);
    if (status !== 200) throw new Error(`the victim got ${status}`);
    found.push(performance.now() - since);
    await sleep(2);
  }
  return found;
}

/** The other account, as a process. */
async function startAttacker() {
  const child = fork(join(import.meta.dirname, 'attacker.mjs'));
  const answer = async () => {
    const [{ error, ...answered }] = await once(child, 'message');
    if (error !== undefined) throw new Error(error);
    return answered;
  };
  await answer();
  return {
    attack: (order) => {
      child.send(order);
      return answer();
    },
    stop: () => child.kill('SIGKILL'),
  };
}

/** @param order the attacker's requests for `seconds`; null: none */
async function beside(node, attacker, seconds, order) {
  const [found] = await Promise.all([
    latencies(node, performance.now() + seconds * 1000),
    order === null ? null : attacker.attack({ ...order, url: node.url, seconds }),
  ]);
  return found;
}

function at(found, share) {
  const sorted = [...found].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/**
 * @param {{rounds: number, seconds: number}} options seconds of each of the two parts of a round
 * @returns the measured cases and their ratios, as `bench/run.mjs` prints them
 */
export async function neighbourCases({ rounds, seconds }) {
  const node = await startNode();
  const attacker = await startAttacker();
  const cases = [];
  const ratios = [];
  try {
    await beside(node, attacker, seconds, null);
    const certify = '/v1/cer/ai/certify';
    const key = node.attacker;
    const batch = { path: `${certify}-batch`, type: 'application/x-ndjson', body: 'batch', key, connections: 2 };
    const costly = { body: '9.4 MB of []', key, connections: 2 };
    const attacks = [
      ['N1', '2 connections with bodies of 9 MB', { path: certify, key, body: '9 MB', connections: 2 }],
      ['N2', '8 connections with bodies of 1 MB', { path: certify, key, body: '1 MB', connections: 8 }],
      ['N3', '2 batches of 200 lines of 40 KB', batch],
      ['N4', '2 registrations of 9.4 MB of []', { ...costly, path: '/v1/project-bundle/register' }],
      [
        'N5',
        '2 verifications without a key of 9.4 MB of []',
        { ...costly, path: '/v1/project-bundle/verify', key: null },
      ],
      ['N6', '4 certifications of 255 KB of []', { path: certify, key, body: '255 KB of []', connections: 4 }],
      ['N7', '2 renders of 9.4 MB of []', { ...costly, path: '/verify' }],
    ];
    for (const [id, title, order] of attacks) {
      const alone = [];
      const attacked = [];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await beside(node, attacker, seconds, null)));
        attacked.push(...(await beside(node, attacker, seconds, order)));
      }
      cases.push(caseOf(`certify before ${title}`, alone), caseOf(`certify beside ${title}`, attacked));
      const found = at(attacked, 0.99) / at(alone, 0.99);
      ratios.push(ratio(id, `p99 beside ${title} / alone`, found, GOAL, { atMost: true }));
    }
  } finally {
    attacker.stop();
    await node.stop();
  }
  return { cases, ratios };
}

function caseOf(name, found) {
  const [median, min, max] = [0.5, 0, 0.99].map((share) => at(found, share));
  return { name: `${name}, p50 (least to p99)`, unit: 'ms', median, min, max, rounds: found.length };
}
