// The whole system, as `npm start` runs it, in a separate folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertPortsFree, servicePorts } from '../scripts/services/ports.mjs';

const root = join(import.meta.dirname, '..');
const READY_WITHIN_MS = 600_000;
const BASES = { first: 10_800, step: 600, count: 7 };
/** All clients of the soak have one address, which the budgets per address would count as one client. */
const ENV = {
  LIMITS_EXEMPT_ADDRESSES: '127.0.0.1',
  STILL_DEADLINE_MS: '120000',
  FRAME_DEADLINE_MS: '60000',
  LOOP_DEADLINE_MS: '120000',
};

/** @returns {Promise<{services: object, folder: string, processes: () => Map<string, number>, stop: () => Promise<void>}>} */
export async function startSystem() {
  const folder = mkdtempSync(join(tmpdir(), 'cer-soak-'));
  const base = await freeBase();
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { ...process.env, ...ENV, CER_DATA_DIR: folder, CER_PORT_BASE: String(base) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-10_000);
    });
  }
  const services = await servicesOf(child, folder, () => said);
  return {
    services,
    folder,
    processes: () => processesOf(child.pid),
    stop: async () => {
      const closed = once(child, 'close');
      if (child.exitCode === null) {
        child.kill('SIGINT');
        await closed;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function servicesOf(child, folder, said) {
  const file = join(folder, 'services.json');
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(200)) {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return JSON.parse(readFileSync(file, 'utf8'));
    if (child.exitCode !== null) break;
  }
  throw new Error(`npm start did not become ready\n${said()}`);
}

async function freeBase() {
  for (let at = 0; at < BASES.count; at += 1) {
    const base = BASES.first + at * BASES.step;
    const ports = servicePorts({ CER_PORT_BASE: String(base) });
    const isFree = await assertPortsFree(Object.keys(ports), ports).then(
      () => true,
      () => false,
    );
    if (isFree) return base;
  }
  throw new Error('every range of ports is in use');
}

/** The process of each service, by the name of its folder under `apps/`. */
function processesOf(pid) {
  const found = new Map();
  for (const child of childrenOf(pid)) {
    const name = /apps\/([a-z]+)\/dist\/main\.js/.exec(textOf(`/proc/${child}/cmdline`))?.[1];
    if (name !== undefined) found.set(name, child);
  }
  return found;
}

/** Processes that a process started, on any of its threads. */
export function childrenOf(pid) {
  return textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
}

/** Text of a file of the process table; empty when the process has ended. */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(error.code)) return '';
    throw error;
  }
}
