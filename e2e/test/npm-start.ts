import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { servicePorts } from '../../scripts/services/ports.mjs';

export const root = join(__dirname, '../..');
/** Maximum duration of one start of all services. */
export const PATIENCE_MS = 300_000;

/** On a loaded machine a sketch takes longer than the renderer's default deadlines. */
const PATIENT = { STILL_DEADLINE_MS: '120000', LOOP_DEADLINE_MS: '120000', FRAME_DEADLINE_MS: '60000' };

export interface Services {
  readonly node: { readonly url: string };
  readonly renderer?: { readonly url: string };
  readonly verifier: { readonly url: string };
  readonly dashboard: { readonly url: string };
  readonly bridge: { readonly url: string };
  readonly apiKey: string;
  readonly adminSecret: string;
}

/** `npm start` as scripts run it: a separate data folder, ports and process group. */
export class Start {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  said = '';
  /** A start that was killed leaves its `services.json`: only a newer one counts. */
  readonly #startedAtMs = Date.now();

  constructor(dataDir: string, portBase: number, more: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: root,
      detached: true,
      env: { ...process.env, ...PATIENT, CER_DATA_DIR: dataDir, CER_PORT_BASE: String(portBase), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer): void => {
      this.said += chunk.toString();
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
    this.ended = new Promise((resolve) => {
      this.child.once('close', resolve);
    });
  }

  async services(dataDir: string): Promise<Services> {
    const file = join(dataDir, 'services.json');
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      await sleep(100);
      const written = statSync(file, { throwIfNoEntry: false });
      if (written !== undefined && written.mtimeMs >= this.#startedAtMs)
        return JSON.parse(readFileSync(file, 'utf8')) as Services;
      if (this.child.exitCode !== null) break;
    }
    throw new Error(`not ready:\n${this.said}`);
  }

  /** Signals the whole group, as a terminal does on Ctrl-C. */
  async interrupt(): Promise<number | null> {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGINT');
    return this.ended;
  }
}

/** Ports from the first port of a range to the first of the next. */
export const PORTS_PER_START = 600;
/** The ports of a start are at least ten apart: those of ten starts are between each other's. */
const STARTS_PER_RANGE = 10;
/** A start is claimed by holding its port in the last ten of the range. */
const CLAIM_OFFSET = PORTS_PER_START - STARTS_PER_RANGE;
/** Below the ports of the test databases (from 15000 on) and the ephemeral ones. */
const RANGES = { first: 18, count: 7 };

/** @returns the port of every service of a start at `base` */
export function portsFrom(base: number): readonly number[] {
  return Object.values(servicePorts({ CER_PORT_BASE: String(base) }));
}

/**
 * Ports for the starts of one test file, unique while it runs.
 * @returns the first of them
 */
export async function freeBase(): Promise<number> {
  for (;;) {
    const base = (RANGES.first + randomInt(RANGES.count)) * PORTS_PER_START + randomInt(STARTS_PER_RANGE);
    const claim = await listening(base + CLAIM_OFFSET);
    if (claim === null) continue;
    const servers = await Promise.all(portsFrom(base).map(listening));
    for (const server of servers) if (server !== null) await promisify(server.close.bind(server))();
    // The claim ends with the test process.
    if (!servers.includes(null)) return base;
    claim.close();
  }
}

/** @returns null where something else listens on the port */
function listening(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => {
      resolve(null);
    });
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}
