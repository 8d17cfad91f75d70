// Both logs of a node, read whole after the load by a program whose log code others wrote: golang.org/x/mod in e2e/go.
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const SOURCE = join(import.meta.dirname, '../e2e/go');
const PROGRAM = join(import.meta.dirname, '../node_modules/.cache/cer-torture/independent-tlog');
const PUBLISHED_WITHIN_MS = 120_000;

/**
 * @param {{nodeUrl: string, policy: string, leaves: number}} log policy: its lines of logs and witnesses; leaves: how many
 *   entries the receipts log must have
 * @returns {Promise<{breaches: string[], facts: object}>} facts: the last line about each log, or why it was not read
 */
export async function readLogs({ nodeUrl, policy, leaves }) {
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
  const inGo = (...args) => spawnSync('go', args, { cwd: SOURCE, env, encoding: 'utf8' });
  const notRead = (reason) => ({ breaches: [], facts: { notRead: reason } });
  if (inGo('version').error !== undefined) return notRead('there is no Go on this machine (go.dev, 1.26 or later)');
  if (inGo('mod', 'download').status !== 0)
    return notRead('its Go modules cannot be downloaded, or ask for a later Go');
  const built = inGo('build', '-o', PROGRAM, '.');
  if (built.status !== 0)
    return { breaches: [`the independent reader is not built: ${built.stderr.trim()}`], facts: {} };
  const [receipts, epochs] = vkeysOf(policy, 'log', 1);
  const witnesses = vkeysOf(policy, 'witness', 2);
  const breaches = [];
  const facts = { witnesses: witnesses.length };
  for (const [name, path, vkey, least] of [
    ['receipts', '/log', receipts, leaves],
    ['epochs', '/log/epochs', epochs, 1],
  ]) {
    try {
      await untilPublished(`${nodeUrl}${path}/checkpoint`, least);
      const { stdout } = await promisify(execFile)(PROGRAM, ['read', `${nodeUrl}${path}`, vkey, ...witnesses]);
      facts[name] = stdout.trim();
    } catch (error) {
      breaches.push(`the independent reader of ${path}: ${error.stderr?.trim() || error.message}`);
    }
  }
  return { breaches, facts };
}

function vkeysOf(policy, word, at) {
  return policy.split('\n').flatMap((line) => (line.startsWith(`${word} `) ? [line.split(' ')[at]] : []));
}

async function untilPublished(url, size) {
  for (const deadline = Date.now() + PUBLISHED_WITHIN_MS; Date.now() < deadline; await sleep(500)) {
    const answer = await fetch(url);
    const text = await answer.text();
    if (answer.ok && Number(text.split('\n')[1]) >= size) return;
  }
  throw new Error(`no checkpoint of ${size} entries`);
}
