import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readMathModule } from '../../src/files/math-module.js';

const SCAN = join(__dirname, '..', '..', 'build', 'scan-modules.mjs');
const scan = (...args: string[]) => spawnSync(process.execPath, [SCAN, ...args], { encoding: 'utf8' });

describe('The WebAssembly modules', () => {
  it('have no SIMD and no threads', () => {
    expect(scan().stdout).toBe('skia: no SIMD, no threads\nmath: no SIMD, no threads\n');
  });

  it('would be refused with SIMD', () => {
    const { status, stderr } = scan('--refuses-simd');
    expect(status).toBe(1);
    expect(stderr).toContain('control has instructions that machines may compute differently');
  });

  it('of Math imports nothing', async () => {
    const module = await WebAssembly.compile(Uint8Array.from(await readMathModule()));
    expect(WebAssembly.Module.imports(module)).toEqual([]);
    expect(WebAssembly.Module.exports(module).every(({ kind }) => kind === 'function')).toBe(true);
  });
});
