import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const root = join(__dirname, '../..');
export const PATIENCE_MS = 180_000;

export interface Services {
  readonly node: { readonly url: string };
  readonly renderer?: { readonly url: string };
  readonly verifier: { readonly url: string };
  readonly dashboard: { readonly url: string };
  readonly bridge: { readonly url: string };
  readonly apiKey: string;
  readonly adminSecret: string;
}

/** `npm start` as a script would run it: its own data folder and ports, in a process group of its own. */
export class Start {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  said = '';

  constructor(dataDir: string, portBase: number, more: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: root,
      detached: true,
      env: { ...process.env, CER_DATA_DIR: dataDir, CER_PORT_BASE: String(portBase), ...more },
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
      if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Services;
      if (this.child.exitCode !== null) break;
    }
    throw new Error(`not ready:\n${this.said}`);
  }

  /** To the whole group, as a terminal does on Ctrl-C. */
  async interrupt(): Promise<number | null> {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGINT');
    return this.ended;
  }
}

export async function freeBase(): Promise<number> {
  for (;;) {
    const base = 20_000 + Math.floor(Math.random() * 20_000);
    const isFree = await Promise.all([0, 10, 100, 200, 300].map((offset) => canListen(base + offset)));
    if (isFree.every(Boolean)) return base;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
