import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freeBase, PATIENCE_MS, root, Start, type Services } from './npm-start.js';
import { leaks, ProcessWatch, secretsIn } from './process-facts.js';

// Arguments are readable by every user, the environment by every program of the same user: neither holds a secret.

const SKETCH = 'function setup() { background(30, VAR[0], 60); }';

let dataDir: string;
let portBase: number;
let started: Start | undefined;
let services: Services;
/** Of a sketch, where there is a browser. */
let certificate: unknown;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cer-secrets-'));
  portBase = await freeBase();
});
afterAll(async () => {
  await started?.interrupt();
  rmSync(dataDir, { recursive: true });
});

const secrets = (): ReadonlyMap<string, string> =>
  new Map([...secretsIn(dataDir), ['key of the account', services.apiKey], ['admin secret', services.adminSecret]]);

const headers = (): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${services.apiKey}`,
  'content-type': 'application/json',
});

describe('the processes of the system show no secret', () => {
  it(
    'from the first start to a rendered sketch',
    async () => {
      started = new Start(dataDir, portBase);
      const watch = new ProcessWatch(started.child.pid ?? 0);
      services = await started.services(dataDir);
      const sketch = JSON.stringify({ snapshot: { code: SKETCH, seed: 'x', vars: [10] } });
      const answer = await fetch(`${services.node.url}/verify`, { method: 'POST', headers: headers(), body: sketch });
      const drawn = (await answer.json()) as { readonly cer?: unknown };
      if (services.renderer !== undefined) expect(drawn).toMatchObject({ verified: true });
      certificate = drawn.cer;
      const shown = await watch.stop();
      const commands = shown.map(({ command }) => command).join('\n');
      for (const service of ['node', 'verifier', 'bridge', 'dashboard', 'witness']) {
        expect(commands).toContain(`apps/${service}/dist/main.js`);
      }
      expect(commands).toContain('api-key\ncreate');
      if (services.renderer !== undefined) expect(commands).toContain('--user-data-dir=');
      expect(secrets().size).toBeGreaterThan(8);
      expect(shown.filter(({ environment }) => environment !== '').length).toBeGreaterThan(5);
      expect(leaks(shown, secrets())).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'in the command line and the process that draws for it',
    async () => {
      if (services.renderer === undefined) return;
      const [file, code] = [join(dataDir, 'sketch.log'), join(dataDir, 'code.log')];
      writeFileSync(file, JSON.stringify(certificate));
      writeFileSync(code, SKETCH);
      const args = ['render', '--verify', file, '--code', code, '--allow-network', '--json'];
      const env = { PATH: process.env['PATH'], CER_NODE_URL: services.node.url, CER_API_KEY: services.apiKey };
      const child = spawn(process.execPath, [join(root, 'apps/cli/bin/cer.js'), ...args], { env });
      const watch = new ProcessWatch(child.pid ?? 0);
      const said: string[] = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
      const [exit] = (await once(child, 'close')) as [number];
      expect([exit, said.join('')]).toMatchObject([0, expect.any(String)]);
      const shown = await watch.stop();
      const drawing = shown.filter(({ command }) => command.includes('--eval'));
      expect(drawing.length).toBeGreaterThan(0);
      // A child that has not started its program yet shows the environment of the command line, with the user's key.
      const others = shown.filter((each) => !drawing.includes(each)).map((each) => ({ ...each, environment: '' }));
      expect(leaks([...drawing, ...others], secrets())).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'in the workers of a node',
    async () => {
      expect(await started?.interrupt()).toBe(0);
      started = undefined;
      const path = (...names: readonly string[]): string => join(dataDir, ...names);
      const env = {
        PATH: process.env['PATH'],
        PORT: '0',
        NODE_WORKERS: '2',
        DATABASE_URL: `sqlite:${path('node', 'node.sqlite')}`,
        KEYS_FILE: path('node', 'keys.json'),
        COMMITMENT_SECRET_FILE: path('node', 'commitment-secrets.json'),
        LOG_ORIGIN: `127.0.0.1:${portBase}/log`,
        LOG_POLICY_FILE: path('log-policy.txt'),
        ADMIN_SECRET_FILE: path('admin-secret'),
        RENDERER_URL: 'http://127.0.0.1:9',
        RENDERER_TOKEN_FILE: path('renderer-token'),
        CONTROL_PLANE_URL: 'http://127.0.0.1:9',
        CONTROL_PLANE_TOKEN_FILE: path('control-plane-token'),
      };
      const child = spawn(process.execPath, [join(root, 'apps/node/dist/main.js')], { env });
      const watch = new ProcessWatch(child.pid ?? 0);
      let said = '';
      const bothListen = new Promise<void>((resolve, reject) => {
        child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
        child.stdout.on('data', (chunk: Buffer) => {
          said += String(chunk);
          if (said.split('a worker listens').length > 2) resolve();
        });
        child.once('close', () => {
          reject(new Error(said));
        });
      });
      await bothListen;
      child.kill('SIGTERM');
      await once(child, 'close');
      const shown = await watch.stop();
      expect(shown.filter(({ environment }) => environment.includes('NODE_UNIQUE_ID'))).toHaveLength(2);
      expect(leaks(shown, secrets())).toEqual([]);
    },
    PATIENCE_MS,
  );
});
