import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { repeat } from './repeat.js';

const NEVER_MS = 3_600_000;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

describe('repeat', () => {
  it('runs at once, and again after the interval', async () => {
    let runs = 0;
    const repeating = repeat({
      everyMs: 1,
      task: async () => {
        runs += 1;
        await nextTurn();
      },
      onFailure: () => undefined,
    });
    await until(() => runs === 3);
    await repeating.stop();
    const stoppedAt = runs;
    await nextTurn();
    expect(runs).toBe(stoppedAt);
  });

  it('reports a failed run, and runs again', async () => {
    const failures: unknown[] = [];
    let runs = 0;
    const repeating = repeat({
      everyMs: 1,
      task: () => {
        runs += 1;
        return runs === 1 ? Promise.reject(new Error('first')) : Promise.resolve();
      },
      onFailure: (error) => failures.push(error),
    });
    await until(() => runs >= 2);
    await repeating.stop();
    expect(failures).toEqual([new Error('first')]);
  });

  it('starts the next run when woken, also during a run', async () => {
    const ends: (() => void)[] = [];
    const repeating = repeat({
      everyMs: NEVER_MS,
      task: () => new Promise((resolve) => ends.push(resolve)),
      onFailure: () => undefined,
    });
    await until(() => ends.length === 1);
    repeating.wake();
    // Never two at a time.
    await nextTurn();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await until(() => ends.length === 2);
    ends[1]?.();
    await nextTurn();
    repeating.wake();
    await until(() => ends.length === 3);
    ends[2]?.();
    await repeating.stop();
  });

  it('aborts the current run and awaits it when stopped', async () => {
    let aborted = false;
    let ended = false;
    const repeating = repeat({
      everyMs: NEVER_MS,
      task: async (signal) => {
        await until(() => signal.aborted);
        aborted = true;
        await nextTurn();
        ended = true;
      },
      onFailure: () => undefined,
    });
    await repeating.stop();
    expect([aborted, ended]).toEqual([true, true]);
  });
});
