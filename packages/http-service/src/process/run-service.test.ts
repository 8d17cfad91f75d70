import { EventEmitter, once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { ConfigError } from '../config/config-error.js';
import { runService, type ServiceProcess } from './run-service.js';
import type { RunningServer } from './serve.js';
import { connectRaw } from '../testing/index.js';

class RecordedProcess extends EventEmitter implements ServiceProcess {
  readonly codes: number[] = [];
  said = '';
  readonly stderr = { write: (text: string) => (this.said += text) };
  exit(code: number): void {
    this.codes.push(code);
    this.emit('exit');
  }
}

describe('a service that cannot start', () => {
  it('reports every bad variable and exits 1', async () => {
    const host = new RecordedProcess();
    await runService(() => Promise.reject(new ConfigError(['PORT: must be a number', 'HOST: is required'])), host);
    expect(host.said).toBe('PORT: must be a number\nHOST: is required\n');
    expect(host.codes).toEqual([1]);
  });

  it('hides the message of an unknown error', async () => {
    const host = new RecordedProcess();
    await runService(() => Promise.reject(new TypeError('leaked')), host);
    expect(host.said).toContain('TypeError');
    expect(host.said).not.toContain('leaked');
    expect(host.codes).toEqual([1]);
  });
});

describe('a running service', () => {
  const serverClosing = (close: () => Promise<void>): RunningServer => ({ url: '', close });

  it('exits 1 when closing fails', async () => {
    const host = new RecordedProcess();
    await runService(async () => serverClosing(() => Promise.reject(new Error('leaked'))), host);
    const exited = once(host, 'exit');
    host.emit('SIGTERM');
    await exited;
    expect(host.codes).toEqual([1]);
    expect(host.said).not.toContain('leaked');
  });

  it('exits at once only when a signal is repeated', async () => {
    const host = new RecordedProcess();
    await runService(async () => serverClosing(() => new Promise(() => undefined)), host);
    host.emit('SIGTERM');
    expect(host.codes).toEqual([]);
    host.emit('SIGINT');
    expect(host.codes).toEqual([]);
    host.emit('SIGTERM');
    expect(host.codes).toEqual([1]);
  });
});

// Runs as its own process, compiled from these sources.
const MAIN_PATH = 'src/process/main.js';
const MAIN = `
import { read } from 'node:fs';
import { runService } from './run-service.js';
import { serve } from './serve.js';
import { createRouter } from '../routing/router.js';
import { createLogger } from '../telemetry/logger.js';
import { ok } from '../handler/handler.js';
const logger = createLogger({ service: 'main', level: 'info' });
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const routes = [
  { method: 'GET', path: '/slow', handler: async () => { logger.info('accepted'); await wait(300); return ok({ done: true }); } },
  { method: 'GET', path: '/stuck', handler: async () => { logger.info('accepted'); await wait(60_000); return ok({}); } },
  { method: 'GET', path: '/busy', handler: async () => { read(0, () => undefined); return ok({ busy: true }); } },
  { method: 'GET', path: '/crash', handler: async () => { setImmediate(() => { throw new Error('leaked'); }); return ok({}); } },
];
await runService(() => serve(createRouter(routes, { logger }), { host: '127.0.0.1', port: 0, logger, onClose: () => logger.info('onClose ran') }));
`;

describe('a service process', () => {
  let folder = '';
  const children: ChildProcess[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'run-service-'));
    symlinkSync(join(__dirname, '../../../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const sources = join(__dirname, '..');
    for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
      if (!/^[a-z/-]+\.ts$/.test(name)) continue;
      const { code } = transformSync(readFileSync(join(sources, name), 'utf8'), {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      });
      const compiled = join(folder, 'src', name.replace('.ts', '.js'));
      mkdirSync(dirname(compiled), { recursive: true });
      writeFileSync(compiled, code);
    }
    writeFileSync(join(folder, MAIN_PATH), MAIN);
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function start(env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [join(folder, MAIN_PATH)], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    let said = '';
    const seen = new EventEmitter();
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        seen.emit('more');
      });
    }
    const until = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = pattern.exec(said);
        if (found !== null) return found[1] ?? found[0];
        await once(seen, 'more');
      }
    };
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, until, exited, said: () => said };
  }

  it('answers accepted requests after SIGTERM and exits 0', async () => {
    const service = start();
    const raw = await connectRaw(await service.until(/"url":"([^"]+)"/));
    raw.send('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await service.until(/accepted/);
    service.child.kill('SIGTERM');
    expect(await raw.ended()).toContain('"done":true');
    expect(await service.exited).toBe(0);
    expect(service.said()).toContain('onClose ran');
  });

  it('writes its last log line after all others', async () => {
    // The only thread that writes waits for its standard input while the service closes.
    const service = start({ UV_THREADPOOL_SIZE: '1' });
    const url = await service.until(/"url":"([^"]+)"/);
    const raw = await connectRaw(url);
    raw.send('GET /busy HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect(await raw.ended()).toContain('"busy":true');
    service.child.kill('SIGTERM');
    await untilRefused(url);
    service.child.stdin.end();
    expect(await service.exited).toBe(0);
    const messages = [...service.said().matchAll(/"msg":"([^"]+)"/g)].map(([, message]) => message);
    expect([messages.includes('request'), messages.at(-1)]).toEqual([true, 'closed']);
  });

  it('exits at once on a repeated signal', async () => {
    const service = start();
    const raw = await connectRaw(await service.until(/"url":"([^"]+)"/));
    raw.send('GET /stuck HTTP/1.1\r\nhost: a\r\n\r\n');
    await service.until(/accepted/);
    service.child.kill('SIGINT');
    await service.until(/closing/);
    service.child.kill('SIGINT');
    expect(await service.exited).toBe(1);
  });

  it('closes when its supervisor is killed', async () => {
    const code = `
      const { spawn } = await import('node:child_process');
      const service = spawn(process.execPath, [${JSON.stringify(join(folder, MAIN_PATH))}],
        { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      service.stdout.once('data', () => console.log('pid=' + service.pid));`;
    const supervisor = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(supervisor);
    const [line] = (await once(supervisor.stdout.setEncoding('utf8'), 'data')) as [string];
    const pid = Number(/pid=(\d+)/.exec(line)?.[1]);
    supervisor.kill('SIGKILL');
    await untilGone(pid);
  });

  it('ends on an uncaught error without printing its message', async () => {
    const service = start();
    const raw = await connectRaw(await service.until(/"url":"([^"]+)"/));
    raw.send('GET /crash HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(await service.exited).toBe(1);
    expect(service.said()).toContain('"type":"Error"');
    expect(service.said()).not.toContain('leaked');
  });
});

/** Never resolves while the server listens: the test then runs into its timeout. */
async function untilRefused(url: string): Promise<void> {
  for (;;) {
    try {
      (await connectRaw(url)).socket.destroy();
      await sleep(5);
    } catch {
      return;
    }
  }
}

/** Never resolves while the process runs: the test then runs into its timeout. */
async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // Not of an id that is no number, which no process ever had.
      expect(error).toMatchObject({ code: 'ESRCH' });
      return;
    }
    await sleep(20);
  }
}
