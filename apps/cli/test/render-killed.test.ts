import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { sha256 } from '@cer/cer-core';
import { sealedRender } from '@cer/cer-core/testing';
import { readInstalledEngine } from '@cer/sketch-engine/files';
import { Folder } from '../src/testing/files.js';

// The built command, and the process that it starts for the sketch.

const BIN = join(__dirname, '..', 'bin', 'cer.js');
const KIB_OF_SKETCH = 300_000;
/** Takes this memory once it runs, and never ends. */
const CODE = `function setup() { const full = new Uint8Array(${KIB_OF_SKETCH * 1024}).fill(1); for (;;) full[0] += 1; }`;

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

async function certificate(): Promise<string> {
  const engine = { ...(await readInstalledEngine()).identity };
  return folder.write('endless.json', sealedRender({ codeHash: sha256(CODE), engine }).bundle);
}

/** Empty once the process has ended. */
function stateOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/** Never resolves while there is none: the test then runs into its timeout. */
async function eventually<Found>(find: () => Found | undefined): Promise<Found> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it.each(['SIGINT', 'SIGKILL'] as const)('leaves no sketch behind when it is ended by %s', async (signal) => {
  const args = [BIN, 'render', '--verify', await certificate(), '--code', folder.write('endless.js', CODE)];
  const child = spawn(process.execPath, [...args, '--allow-network'], { stdio: 'ignore' });
  const closed = once(child, 'close');
  const isSketch = (pid: number): boolean =>
    Number(/VmRSS:\s+(\d+) kB/.exec(stateOf(pid))?.[1] ?? 0) > KIB_OF_SKETCH && childrenOf(pid).length === 0;
  const sketch = await eventually(() => childrenOf(child.pid ?? 0).find(isSketch));
  child.kill(signal);
  expect(await closed).toEqual([null, signal]);
  await eventually(() => stateOf(sketch) === '' || undefined);
});
