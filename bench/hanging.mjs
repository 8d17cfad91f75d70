// The time of one tenant's short still beside another tenant that keeps 16 sketches under way, against alone, in rounds
// that alternate. The renderer is a separate process; the other tenant's share of an hour does not end here.
import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchArguments } from '../scripts/services/launch.mjs';
import { caseOf, median, ratio } from './measure.mjs';
import { somePort } from './some-port.mjs';

const TOKEN = 'an-internal-token-of-this-bench-with-40-letters';
const AT_ONCE = 16;
const GOAL = 5;
const SHORT = { tenantId: 'victim', code: 'function setup() { background(240); circle(900, 900, 300); }' };
const ATTACKS = [
  ['H1', 'stills that hang', '/render', { code: 'function setup() { for (;;); }' }],
  [
    'H2',
    'loops of frames of a second',
    '/loop',
    {
      code: 'function draw() { let x = 1; for (let i = 0; i < 3e8; i++) x = (x * 7) % 11; circle(x, x, x); }',
      totalFrames: 600,
    },
  ],
];

async function startRenderer() {
  const port = String(somePort());
  const own = { PORT: port, RENDERER_TOKEN: TOKEN, RENDER_SECONDS_PER_HOUR: '1000000000', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, launchArguments(join(import.meta.dirname, '..'), 'renderer'), {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  };
  const isReady = () =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let attempt = 0; !(await isReady()); attempt += 1) {
    if (attempt > 600) {
      await stop();
      throw new Error('the renderer did not start');
    }
    await sleep(100);
  }
  const post = async (path, body, signal) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    headers['x-render-nonce'] = 'nonce-of-a-bench-0123456789';
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal });
    await answer.arrayBuffer();
    return answer.status;
  };
  return { post, stop };
}

/** The victim's times in ms, one still after the other. */
async function shortStills(post, stills) {
  const found = [];
  for (let still = 0; still < stills; still += 1) {
    const since = performance.now();
    const status = await post('/render', SHORT);
    if (status !== 200) throw new Error(`the short still got ${status}`);
    found.push(performance.now() - since);
  }
  return found;
}

/** Keeps `AT_ONCE` sketches under way. @returns ends them */
function attack(post, path, sketch) {
  const ending = new AbortController();
  // A request that was refused leaves its listener there until it is collected.
  setMaxListeners(0, ending.signal);
  const one = async () => {
    // A refusal comes at once: the tenant has too many under way.
    while (!ending.signal.aborted) if ((await post(path, sketch, ending.signal)) === 429) await sleep(50);
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, one));
  return async () => {
    ending.abort();
    await all.catch((error) => {
      if (error !== ending.signal.reason) throw error;
    });
  };
}

/**
 * @param {{rounds: number, stills: number}} options short stills of each of the two parts of a round
 * @returns the measured cases and their ratios, as `bench/run.mjs` prints them
 */
export async function hangingCases({ rounds, stills }) {
  const { post, stop } = await startRenderer();
  const cases = [];
  const ratios = [];
  try {
    await shortStills(post, 2);
    for (const [id, title, path, sketch] of ATTACKS) {
      const [alone, beside] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await shortStills(post, stills)));
        const end = attack(post, path, { tenantId: 'attacker', ...sketch });
        await sleep(2000);
        beside.push(...(await shortStills(post, stills)));
        await end();
        await sleep(1000);
      }
      cases.push(caseOf(`short still before ${AT_ONCE} ${title}`, 'ms', alone));
      cases.push(caseOf(`short still beside ${AT_ONCE} ${title}`, 'ms', beside));
      const found = median(beside) / median(alone);
      ratios.push(ratio(id, `short still beside ${AT_ONCE} ${title} / alone`, found, GOAL, { atMost: true }));
    }
  } finally {
    await stop();
  }
  return { cases, ratios };
}
