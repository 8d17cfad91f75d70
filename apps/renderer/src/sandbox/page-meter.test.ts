import { describe, expect, it } from '@jest/globals';
import { createPageMeter } from './page-meter.js';

describe('the meter of a page', () => {
  it("counts the time of all processes from the job's start", () => {
    const cpu = new Map([
      [7, 300],
      [8, 40],
    ]);
    const meter = createPageMeter((pid) => cpu.get(pid));
    expect(meter.cpuMs()).toBe(0);
    meter.begin([7, 8]);
    expect(meter.cpuMs()).toBe(0);
    cpu.set(7, 1300).set(8, 50);
    expect(meter.cpuMs()).toBe(1010);
  });

  it('keeps the time of an ended process', () => {
    const cpu = new Map([[7, 300]]);
    const meter = createPageMeter((pid) => cpu.get(pid));
    meter.begin([7]);
    cpu.set(7, 5300);
    meter.cpuMs();
    cpu.delete(7);
    expect(meter.cpuMs()).toBe(5000);
  });

  it.each([
    ['no process', [], 300],
    ['a process that cannot be read', [7], undefined],
    ['a count that does not change', [7], 0],
  ])('says that the system reports no time, for %s', (_what, pids, ms) => {
    const meter = createPageMeter(() => ms);
    meter.begin(pids);
    expect(meter.cpuMs()).toBeUndefined();
  });
});
