import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './npm-start.js';

const CHILD_MODULE = pathToFileURL(join(root, 'scripts/services/child.mjs')).href;

describe('a supervised service', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cer-supervised-'));
    writeFileSync(join(folder, 'service.mjs'), `setInterval(() => console.log('line\\n{"route":"/ready"}'), 20);`);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /**
   * Supervises the service with a log that cannot be written, runs the code `then`, and fails.
   * @returns its output and the service's pid
   */
  function supervise(then = ''): Promise<{ readonly said: string; readonly pid: number }> {
    const code = `
      const { startChild, untilReady } = await import(${JSON.stringify(CHILD_MODULE)});
      const service = startChild({ name: 'x', args: [${JSON.stringify(join(folder, 'service.mjs'))}],
        cwd: ${JSON.stringify(folder)}, env: process.env, logs: ${JSON.stringify(join(folder, 'missing'))} });
      setTimeout(() => process.exit(1), 20_000).unref();
      console.log('pid=' + service.child.pid);
      const until = async (condition) => {
        while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
      };
      await until(() => service.lastLines().length >= 5);
      console.log('shown=' + service.lastLines().join());
      console.log('supervised');
      ${then}
      throw new Error('the supervisor fails');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    return new Promise((resolve) => {
      child.once('close', () => {
        resolve({ said, pid: Number(/pid=(\d+)/.exec(said)?.[1]) });
      });
    });
  }

  it('outlives its log and ends with its supervisor', async () => {
    const { said, pid } = await supervise();
    expect(said).toContain('x runs on without it');
    expect(said).toContain('supervised');
    // Without its answers to the supervisor.
    expect(said).toMatch(/^shown=line(,line)+$/m);
    expect(said).toContain('the supervisor fails');
    expect(pid).toBeGreaterThan(1);
    await expectEnded(pid);
  });

  it('writes its log again once it can', async () => {
    const log = join(folder, 'missing', 'x.log');
    const { said } = await supervise(`
      const { mkdirSync, statSync } = await import('node:fs');
      mkdirSync(${JSON.stringify(dirname(log))});
      await until(() => statSync(${JSON.stringify(log)}, { throwIfNoEntry: false })?.size > 50);`);
    expect(said).toContain('is written again');
    expect(readFileSync(log, 'utf8')).toMatch(/^\n?(line\n|\{"route":"\/ready"\}\n)+$/);
  });

  it('is given up with what it was waited for, its log and a remedy', async () => {
    const { said } = await supervise(`
      const { createServer } = await import('node:http');
      const server = createServer((_, answer) => answer.writeHead(503).end('{"reasons":["no key","no disk"]}'));
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      for (const port of [server.address().port, 9])
        await untilReady(service, 'http://127.0.0.1:' + port, 300).catch(({ message, remedy }) => {
          console.log([message.replace(port, 'PORT'), ...remedy].join('|'));
        });
      const { certifySample } = await import(${JSON.stringify(pathToFileURL(join(root, 'scripts/services/demo.mjs')).href)});
      await certifySample({ root: ${JSON.stringify(root)}, nodeUrl: 'http://127.0.0.1:9', apiKey: '' }).catch(
        ({ message, remedy }) => console.log(message + '|' + remedy));`);
    const log = join(folder, 'missing', 'x.log');
    expect(said).toContain(
      'The node did not answer the sample call.|See its log in the data folder, then start again.',
    );
    expect(said).toContain(
      `x was not ready within 0.3 s: http://127.0.0.1:PORT/ready answers: no key; no disk|Correct this, then start again.|Its log is ${log}.`,
    );
    expect(said).toContain(
      `x was not ready within 0.3 s: http://127.0.0.1:PORT/ready does not answer|A busy machine needs longer: start again when other programs have ended.|Its log is ${log}.`,
    );
  });
});

/** Never resolves while the process runs: the test then runs into its timeout. */
async function expectEnded(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // Not of an id that is no number, which no process ever had.
      expect(error).toMatchObject({ code: 'ESRCH' });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
