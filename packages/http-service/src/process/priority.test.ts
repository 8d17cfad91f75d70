import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { expect, it } from '@jest/globals';
import { lowerPriority } from './priority.js';

it.each([
  [16, 19],
  [19, 19],
])('makes a process that runs at %d run at %d', async (before, after) => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const { pid = 0 } = child;
  setPriority(pid, before);
  lowerPriority(pid);
  expect(getPriority(pid)).toBe(after);
  child.kill('SIGKILL');
  await once(child, 'close');
});
