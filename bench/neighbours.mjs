// node bench/neighbours.mjs [--main apps/node/dist/main.js] [--seconds 8]: the latency of one account's certify beside
// another account that sends large bodies or batches, against alone. Goal: p99 at most 5 times that of alone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    main: { type: 'string', default: join(import.meta.dirname, '../apps/node/dist/main.js') },
    seconds: { type: 'string', default: '8' },
  },
});
const main = resolve(values.main);
const seconds = Number(values.seconds);
const MIB = 1024 * 1024;
const GOAL = 5;

const folder = mkdtempSync(join(tmpdir(), 'cer-neighbours-'));
const env = {
  ...process.env,
  DATABASE_URL: `sqlite:${folder}/node.sqlite`,
  KEYS_FILE: `${folder}/keys.json`,
  COMMITMENT_SECRET_FILE: `${folder}/secrets.json`,
  PORT: String(20_000 + Math.floor(Math.random() * 20_000)),
  LOG_LEVEL: 'warn',
};
const keyOf = (tenant) =>
  execFileSync(process.execPath, [main, 'api-key', 'create', '--tenant', tenant], { env, encoding: 'utf8' }).trim();
const [victim, attacker] = [keyOf('victim'), keyOf('attacker')];
const url = `http://127.0.0.1:${env.PORT}`;
const agent = new Agent({ keepAlive: true });

let number = 0;
/** An execution of about `bytes`, as many small values: the costly form. Made before measuring, except for its id. */
function executions(bytes) {
  const input = Array.from({ length: Math.ceil(bytes / 44) }, (_, at) => ({ role: 'user', n: at, text: 'abcdefgh' }));
  const stated = { provider: 'example', model: 'example-large-2', input, output: 'b', parameters: { temperature: 0 } };
  const rest = JSON.stringify(stated).slice(1);
  return () => `{"executionId":"bench-${(number += 1)}",${rest}`;
}

function post(path, key, body, type = 'application/json') {
  return new Promise((done, fail) => {
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), authorization: `Bearer ${key}` };
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => done(answer.statusCode));
    });
    sent.once('error', fail).end(body);
  });
}

async function latencies(untilMs) {
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
  return found.sort((a, b) => a - b);
}

/** @param attack sends one request; null: none */
async function beside(name, connections, attack) {
  const untilMs = performance.now() + seconds * 1000;
  const statuses = {};
  const attacking = Array.from({ length: connections }, async () => {
    while (performance.now() < untilMs) {
      const status = await attack();
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  const found = await latencies(untilMs);
  await Promise.all(attacking);
  const at = (share) => found[Math.min(found.length - 1, Math.floor(found.length * share))];
  const [p50, p99] = [at(0.5), at(0.99)];
  const attacked = connections === 0 ? '' : ` attacker's answers ${JSON.stringify(statuses)}`;
  console.log(`${name.padEnd(34)} n ${found.length} p50 ${p50.toFixed(1)} ms p99 ${p99.toFixed(1)} ms${attacked}`);
  return p99;
}

const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'inherit'] });
try {
  for (let attempt = 0; ; attempt += 1) {
    if (
      await fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    if (attempt > 300) throw new Error('the node did not start');
    await sleep(100);
  }
  await beside('warm-up', 0, null);
  const [large, middle, line] = [9 * MIB, MIB, 40 * 1024].map(executions);
  const batch = () => Array.from({ length: 200 }, line).join('\n');
  const attacks = [
    ['2 connections, bodies of 9 MB', 2, () => post('/v1/cer/ai/certify', attacker, large())],
    ['8 connections, bodies of 1 MB', 8, () => post('/v1/cer/ai/certify', attacker, middle())],
    [
      '2 batches of 200 lines of 40 KB',
      2,
      () => post('/v1/cer/ai/certify-batch', attacker, batch(), 'application/x-ndjson'),
    ],
  ];
  for (const [name, connections, attack] of attacks) {
    const alone = await beside('alone', 0, null);
    const ratio = (await beside(name, connections, attack)) / alone;
    console.log(`  p99 beside / alone ${ratio.toFixed(1)}, goal at most ${GOAL}: ${ratio <= GOAL ? 'met' : 'missed'}`);
  }
} finally {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  agent.destroy();
  rmSync(folder, { recursive: true });
}
