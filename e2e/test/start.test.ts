import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInChromium, findChromium } from '@cer/test-browser';
import { servicePorts } from '../../scripts/services/ports.mjs';
import { freeBase, PATIENCE_MS, PORTS_PER_START, portsFrom, Start } from './npm-start.js';

interface Sample {
  readonly certificateHash: string;
}

async function sampleAt(url: string): Promise<Sample> {
  const response = await fetch(`${url}/v1/cer/public?execution_id=sample-call`);
  return (await response.json()) as Sample;
}

describe('npm start', () => {
  let dataDir: string;
  let portBase: number;
  const running: Start[] = [];
  const start = (env?: Readonly<Record<string, string>>, base = portBase): Start => {
    const started = new Start(dataDir, base, env);
    running.push(started);
    return started;
  };

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cer-start-'));
    portBase = await freeBase();
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      if (child.exitCode === null && child.pid !== undefined) killGroup(child.pid);
      await ended;
    }
  });
  afterAll(() => {
    rmSync(dataDir, { recursive: true });
  });

  it('listens within the ports that its test claimed', () => {
    for (const port of portsFrom(portBase)) {
      expect(port).toBeGreaterThanOrEqual(portBase);
      expect(port).toBeLessThan(portBase + PORTS_PER_START - 1);
    }
  });

  it(
    'serves a certified sample and keeps everything across a restart at other ports',
    async () => {
      const first = start();
      const { node, dashboard, apiKey, adminSecret } = await first.services(dataDir);
      expect(node.url).toBe(`http://127.0.0.1:${portBase}`);
      expect(apiKey).toBe(readFileSync(join(dataDir, 'api-key'), 'utf8').trim());
      expect(adminSecret.length).toBeGreaterThanOrEqual(16);
      for (const name of ['api-key', 'services.json', 'admin-secret']) {
        expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
      }
      expect(statSync(dataDir).mode & 0o777).toBe(0o700);
      // At a host name, where passkeys are offered.
      expect(dashboard.url).toBe(`http://localhost:${portBase + 300}`);
      expect(await (await fetch(`${dashboard.url}/sign-in`)).text()).toContain('Sign in with a passkey');
      const sample = await sampleAt(node.url);
      expect(await first.interrupt()).toBe(0);
      expect(first.said).toContain(sample.certificateHash);
      expect(first.said).toContain(dashboard.url);
      expect(first.said).not.toContain(apiKey);
      expect(existsSync(join(dataDir, 'services.json'))).toBe(false);
      await expect(fetch(node.url)).rejects.toThrow();

      const second = start({}, await freeBase());
      const again = await second.services(dataDir);
      expect(again.node.url).not.toBe(node.url);
      // A log keeps its name.
      const checkpoint = await (await fetch(`${again.node.url}/log/checkpoint`)).text();
      expect(checkpoint.split('\n', 1)).toEqual([`127.0.0.1:${portBase}/log`]);
      expect(again.apiKey).toBe(apiKey);
      expect((await sampleAt(again.node.url)).certificateHash).toBe(sample.certificateHash);
      // A folder in its place cannot be removed as a file, as nothing can on a disk that became read-only.
      const servicesFile = join(dataDir, 'services.json');
      rmSync(servicesFile);
      mkdirSync(servicesFile);
      expect(await second.interrupt()).toBe(0);
      expect(second.said).toContain(`The data folder ${dataDir} cannot be written`);
      rmSync(servicesFile, { recursive: true });
    },
    2 * PATIENCE_MS,
  );

  it(
    "stops all and shows a dead service's last lines",
    async () => {
      const started = start();
      const { node } = await started.services(dataDir);
      const pid = nodeProcessOf(started);
      process.kill(pid, 'SIGKILL');
      expect(await started.ended).toBe(1);
      expect(started.said).toContain('node ended with a signal');
      // A node that was asked often has said more since it listened than the lines that are shown.
      expect(started.said).toMatch(/"msg":"(listening|request)"/);
      await expect(fetch(node.url)).rejects.toThrow();
    },
    PATIENCE_MS,
  );

  it(
    'leaves no service behind when it is killed',
    async () => {
      const started = start();
      await started.services(dataDir);
      const services = childrenOf(started);
      expect(services.length).toBeGreaterThanOrEqual(4);
      started.child.kill('SIGKILL');
      for (const pid of services) await untilGone(pid);
    },
    PATIENCE_MS,
  );

  it(
    'serves without a browser and gives the reason',
    async () => {
      const started = start({ CHROMIUM_PATH: '/bin/false' });
      const { node, renderer } = await started.services(dataDir);
      expect(renderer).toBeUndefined();
      const headers = { authorization: `Bearer ${readFileSync(join(dataDir, 'api-key'), 'utf8').trim()}` };
      const body = JSON.stringify({ code: 'function setup() {}', seed: 'x', VAR: [] });
      const render = await fetch(`${node.url}/api/render`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      expect(render.status).toBe(503);
      expect(await started.interrupt()).toBe(0);
      expect(started.said).toMatch(
        /renderer +not ready: Chromium did not start.*answers 503 until then.*renderer\.log/,
      );
    },
    PATIENCE_MS,
  );

  describeInChromium('with a browser that starts later', () => {
    it(
      'renders once it has started',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'cer-browser-'));
        // The jailed user must be able to read it.
        chmodSync(folder, 0o755);
        const path = join(folder, 'chromium');
        symlinkSync('/bin/false', path);
        const started = start({ CHROMIUM_PATH: path });
        expect((await started.services(dataDir)).renderer).toBeUndefined();
        rmSync(path);
        symlinkSync(findChromium() ?? '', path);
        const renderer = `http://127.0.0.1:${servicePorts({ CER_PORT_BASE: String(portBase) })['renderer']}`;
        // Never ends where the renderer has ended.
        while (!(await isReady(renderer))) await new Promise((resolve) => setTimeout(resolve, 100));
        expect(await started.interrupt()).toBe(0);
        await expect(fetch(renderer)).rejects.toThrow();
        rmSync(folder, { recursive: true });
      },
      PATIENCE_MS,
    );
  });

  it(
    'names a taken port and the service that needs it',
    async () => {
      const server = createServer();
      server.listen(portBase, '127.0.0.1');
      await once(server, 'listening');
      const started = start();
      expect(await started.ended).toBe(1);
      server.close();
      expect(started.said).toContain(`Port ${portBase}, for the node, is in use.`);
      expect(started.said).toContain('CER_PORT_BASE');
    },
    PATIENCE_MS,
  );

  it(
    'names a data folder that cannot be written',
    async () => {
      const started = start({ CER_DATA_DIR: '/dev/null/data' });
      expect(await started.ended).toBe(1);
      expect(started.said).toContain('The data folder /dev/null/data cannot be written (ENOTDIR).');
      expect(started.said).not.toContain(' at ');
    },
    PATIENCE_MS,
  );
});

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`)).ok;
  } catch {
    return false;
  }
}

/** Kills what is left of the group of a process, which may be nothing. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

/** The child process that runs the node. */
function nodeProcessOf(started: Start): number {
  const pid = childrenOf(started).find((id) => commandOf(id).includes('apps/node/dist/main.js'));
  if (pid === undefined) throw new Error('the node runs as a child of npm start');
  return pid;
}

function childrenOf({ child: { pid = 0 } }: Start): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children.split(/\s+/).map(Number);
}

/** Never resolves while the process runs: the test then runs into its timeout. */
async function untilGone(pid: number): Promise<void> {
  while (commandOf(pid) !== '') await new Promise((resolve) => setTimeout(resolve, 50));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It exited after it was listed.
    return '';
  }
}
