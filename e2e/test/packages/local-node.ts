import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { builtProgram } from '@cer/http-service/testing';
import { freeBase } from '../npm-start.js';

const mainOfNode = (): string => builtProgram('apps/node/src/main.ts');

/** A node in a separate process, with its address and an API key before it runs. */
export class LocalNode {
  readonly url: string;
  readonly apiKey: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;

  /** @param folder where its files go */
  static async create(folder: string): Promise<LocalNode> {
    mkdirSync(folder);
    const port = await freeBase();
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
      KEYS_FILE: join(folder, 'keys.json'),
      COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
      VERIFY_URL: 'https://verify.example',
      PORT: String(port),
    };
    const args = [mainOfNode(), 'api-key', 'create', '--tenant', 'new'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return new LocalNode(port, stdout.trim(), env);
  }

  private constructor(port: number, apiKey: string, env: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.apiKey = apiKey;
    this.#env = env;
  }

  /** Resolves when the node is ready. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [mainOfNode()], { env: this.#env, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child = child;
    while (child.exitCode === null && !(await this.#isReady())) await sleep(50);
    if (child.exitCode !== null) throw new Error('the node ended');
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'close');
  }

  /** The list of the certificates of a program. */
  async recordsOf(appId: string): Promise<readonly unknown[]> {
    const headers = { authorization: `Bearer ${this.apiKey}` };
    const response = await fetch(`${this.url}/v1/records?app_id=${appId}`, { headers });
    const { records } = (await response.json()) as { readonly records: readonly unknown[] };
    return records;
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/ready`)).ok;
    } catch {
      return false;
    }
  }
}
