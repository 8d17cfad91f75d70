import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { cpuMs, isInGroup, processGroup } from './processes.js';

it('reads the processor time of live processes only', () => {
  const before = cpuMs(process.pid) ?? NaN;
  for (const from = process.cpuUsage(); process.cpuUsage(from).user < 100_000;);
  expect((cpuMs(process.pid) ?? NaN) - before).toBeGreaterThanOrEqual(90);
  expect(cpuMs(2 ** 22 + 1)).toBeUndefined();
});

it('takes for members of a group its living processes only', async () => {
  const leader = spawn('sleep', ['60'], { detached: true });
  const stranger = spawn('sleep', ['60'], { detached: true });
  const group = leader.pid ?? NaN;
  expect(processGroup(group).map(({ pid }) => pid)).toEqual([group]);
  expect(isInGroup(group, group)).toBe(true);
  for (const other of [stranger.pid, process.pid, 1, 0, -1, -group, group + 0.5, NaN, `${group}`, 'self', null])
    expect(isInGroup(other, group)).toBe(false);
  for (const child of [leader, stranger]) {
    child.kill();
    await once(child, 'exit');
  }
  expect(isInGroup(group, group)).toBe(false);
});
