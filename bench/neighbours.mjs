// The latency of one account's certify beside another account that sends large bodies or batches, against alone.
// Goal: p99 at most 5 times that of alone. Alone and beside alternate in short rounds, so that a busy machine slows both.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchArguments } from '../scripts/services/launch.mjs';
import { ratio } from './measure.mjs';

const words = launchArguments(join(import.meta.dirname, '..'), 'node');
const main = words.at(-1);
const MIB = 1024 * 1024;
const GOAL = 5;

let number = 0;
/** An execution of about `bytes`, as many small values: the costly form. Made before measuring, except for its id. */
function executions(bytes) {
  const input = Array.from({ length: Math.ceil(bytes / 44) }, (_, at) => ({ role: 'user', n: at, text: 'abcdefgh' }));
  const stated = { provider: 'example', model: 'example-large-2', input, output: 'b', parameters: { temperature: 0 } };
  const rest = JSON.stringify(stated).slice(1);
  return () => `{"executionId":"bench-${(number += 1)}",${rest}`;
}

/** JSON of about `bytes` that is costly to parse and no bundle. */
const arrays = (bytes) => `{"bundle":{"stepRegistry":[${'[],'.repeat(bytes / 3)}[]]}}`;

/** A node of its own with two accounts. */
async function startNode() {
  const folder = mkdtempSync(join(tmpdir(), 'cer-neighbours-'));
  const env = {
    ...process.env,
    DATABASE_URL: `sqlite:${folder}/node.sqlite`,
    KEYS_FILE: `${folder}/keys.json`,
    COMMITMENT_SECRET_FILE: `${folder}/secrets.json`,
    PORT: String(20_000 + Math.floor(Math.random() * 12_000)),
    LOG_LEVEL: 'warn',
    LIMITS_EXEMPT_ADDRESSES: '127.0.0.1',
  };
  const keyOf = (tenant) =>
    execFileSync(process.execPath, [main, 'api-key', 'create', '--tenant', tenant], { env, encoding: 'utf8' }).trim();
  const [victim, attacker] = [keyOf('victim'), keyOf('attacker')];
  const url = `http://127.0.0.1:${env.PORT}`;
  const agent = new Agent({ keepAlive: true });
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    agent.destroy();
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
  const post = (path, key, body, type = 'application/json') =>
    new Promise((done, fail) => {
      const length = Buffer.byteLength(body);
      const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
      const headers = { 'content-type': type, 'content-length': length, ...authorization };
      const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', () => done(answer.statusCode));
      });
      sent.once('error', fail).end(body);
    });
  return { post, victim, attacker, stop };
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

/** Served, refused as no bundle, or refused because others wait. */
const ANSWERED = new Set([200, 400, 503]);

/** @param attack sends one request; connections 0: none */
async function beside(node, seconds, connections, attack) {
  const untilMs = performance.now() + seconds * 1000;
  const attacking = Array.from({ length: connections }, async () => {
    while (performance.now() < untilMs) {
      const status = await attack();
      if (!ANSWERED.has(status)) throw new Error(`the attacker got ${status}`);
    }
  });
  const found = await latencies(node, untilMs);
  await Promise.all(attacking);
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
  const { post, attacker } = node;
  const cases = [];
  const ratios = [];
  try {
    await beside(node, seconds, 0);
    const [large, middle, line] = [9 * MIB, MIB, 40 * 1024].map(executions);
    const batch = () => Array.from({ length: 200 }, line).join('\n');
    const certify = '/v1/cer/ai/certify';
    const [costly, under] = [9.4 * MIB, 255 * 1024].map(arrays);
    const attacks = [
      ['N1', '2 connections with bodies of 9 MB', 2, () => post(certify, attacker, large())],
      ['N2', '8 connections with bodies of 1 MB', 8, () => post(certify, attacker, middle())],
      [
        'N3',
        '2 batches of 200 lines of 40 KB',
        2,
        () => post(`${certify}-batch`, attacker, batch(), 'application/x-ndjson'),
      ],
      ['N4', '2 registrations of 9.4 MB of []', 2, () => post('/v1/project-bundle/register', attacker, costly)],
      ['N5', '2 verifications without a key of 9.4 MB of []', 2, () => post('/v1/project-bundle/verify', null, costly)],
      ['N6', '4 certifications of 255 KB of []', 4, () => post(certify, attacker, under)],
    ];
    for (const [id, title, connections, attack] of attacks) {
      const alone = [];
      const attacked = [];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await beside(node, seconds, 0)));
        attacked.push(...(await beside(node, seconds, connections, attack)));
      }
      cases.push(caseOf(`certify before ${title}`, alone), caseOf(`certify beside ${title}`, attacked));
      const found = at(attacked, 0.99) / at(alone, 0.99);
      ratios.push(ratio(id, `p99 beside ${title} / alone`, found, GOAL, { atMost: true }));
    }
  } finally {
    await node.stop();
  }
  return { cases, ratios };
}

function caseOf(name, found) {
  const [median, min, max] = [0.5, 0, 0.99].map((share) => at(found, share));
  return { name: `${name}, p50 (least to p99)`, unit: 'ms', median, min, max, rounds: found.length };
}
