import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readMathModule } from '../../src/files/math-module.js';
import { readPngModule } from '../../src/files/png-module.js';

const SCAN = join(__dirname, '..', '..', 'build', 'scan-modules.mjs');
const scan = (...args: string[]) => spawnSync(process.execPath, [SCAN, ...args], { encoding: 'utf8' });

describe('The WebAssembly modules', () => {
  it('have no instruction that machines may compute differently', () => {
    expect(scan().stdout).toBe(
      'skia: no SIMD, no threads\nmath: no SIMD, no threads\npng: no relaxed SIMD, no threads\n',
    );
  });

  it('would be refused with SIMD, relaxed SIMD and threads', () => {
    expect(scan('--refuses').stdout).toBe('simd: refused\nrelaxed: refused\nthreads: refused\n');
  });

  it.each([
    ['Math', readMathModule, ['function']],
    ['PNG', readPngModule, ['memory', 'function']],
  ])('of %s imports nothing', async (_name, read, kinds) => {
    const module = await WebAssembly.compile(Uint8Array.from(await read()));
    expect(WebAssembly.Module.imports(module)).toEqual([]);
    expect(kinds).toEqual(expect.arrayContaining(WebAssembly.Module.exports(module).map(({ kind }) => kind)));
  });
});
