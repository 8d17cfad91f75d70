import { expect, it } from '@jest/globals';
import { cpuMs } from './processes.js';

it('reads the processor time of live processes only', () => {
  const before = cpuMs(process.pid) ?? NaN;
  for (const from = process.cpuUsage(); process.cpuUsage(from).user < 100_000;);
  expect((cpuMs(process.pid) ?? NaN) - before).toBeGreaterThanOrEqual(90);
  expect(cpuMs(2 ** 22 + 1)).toBeUndefined();
});
