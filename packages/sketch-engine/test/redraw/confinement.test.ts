import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkWall, permissionFlags, SEARCH_PATH } from '../../src/redraw/confinement.js';

/** Runs a program in the confinement of a sketch's process, as code would run after an escape from the realm. */
function runConfined(program: string): { readonly stdout: string; readonly status: number | null } {
  const [command, ...args] = [...networkWall().prefix, process.execPath, ...permissionFlags(), '--eval', program];
  const { stdout, status } = spawnSync(command, args, { cwd: '/', env: { PATH: SEARCH_PATH }, encoding: 'utf8' });
  return { stdout, status };
}

const attempt = (act: string): string =>
  `try { ${act}; console.log('done'); } catch (error) { console.log(error.code ?? error.name); }`;

describe('The process of a sketch', () => {
  it.each([
    ['read a file', "require('node:fs').readFileSync('/etc/passwd')"],
    ['list a folder', "require('node:fs').readdirSync('/')"],
    ['write a file', "require('node:fs').writeFileSync('/tmp/cer-sketch-was-here', '')"],
    ['start a program', "require('node:child_process').spawnSync('true')"],
    ['load native code', "process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')"],
  ])('cannot %s', (_name, act) => {
    expect(runConfined(attempt(act)).stdout).toMatch(/^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)\n$/);
  });

  it('makes no code of text', () => {
    expect(runConfined(attempt("new Function('return 1')()")).stdout).toBe('EvalError\n');
  });

  it('has no environment', () => {
    expect(runConfined('console.log(Object.keys(process.env).join())').stdout).toBe('PATH\n');
  });

  it('reaches no network', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connect = `const s = require('node:net').connect(${port}, '127.0.0.1'); s.on('connect', () => { console.log('connected'); s.destroy(); }); s.on('error', () => console.log('refused'));`;
    // The system accepts for the server, which waits for the program.
    expect(spawnSync(process.execPath, ['--eval', connect], { encoding: 'utf8' }).stdout).toBe('connected\n');
    if (networkWall().kind === 'none') {
      process.stderr.write('not run: this machine has no means to keep a process off the network\n');
      expect(networkWall().prefix).toEqual([]);
    } else expect(runConfined(attempt(connect)).stdout).toMatch(/^(done\nrefused|ERR_ACCESS_DENIED)\n$/);
    server.close();
  });
});
