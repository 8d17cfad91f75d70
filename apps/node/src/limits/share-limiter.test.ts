import { describe, expect, it } from '@jest/globals';
import { ShareLimiter } from './share-limiter.js';

const nothing = (): void => undefined;

describe('turns', () => {
  it('are one at a time, in order of arrival, whatever happens to the one before', async () => {
    const turns = new ShareLimiter(0.9);
    const log: string[] = [];
    const work =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const asked = [
      turns.take(nothing, work('a')),
      turns.take(nothing, work('b', true)),
      turns.take(nothing, work('c')),
    ];
    expect(turns.waiting).toBe(3);
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: 'a' },
      { reason: { message: 'b' } },
      { value: 'c' },
    ]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(turns.waiting).toBe(0);
  });

  it('leave out work that is not wanted any more', async () => {
    const turns = new ShareLimiter(0.9);
    let worked = 0;
    const gone = (): void => {
      throw new Error('gone');
    };
    await expect(turns.take(gone, async () => (worked += 1))).rejects.toThrow('gone');
    expect(await turns.take(nothing, async () => (worked += 1))).toBe(1);
  });

  it('leave the rest of the time to others', async () => {
    const turns = new ShareLimiter(0.5);
    const begun = performance.now();
    let [worked, others] = [0, 0];
    /** How much longer than the work before it each turn waited. */
    const left: number[] = [];
    const busy = async (): Promise<void> => {
      const since = performance.now();
      left.push(since - begun - worked);
      while (performance.now() < since + 60);
      worked += performance.now() - since;
    };
    const count = setInterval(() => (others += 1), 1);
    for (let turn = 0; turn < 6; turn += 1) {
      const before = worked;
      await turns.take(nothing, busy);
      // Each turn leaves as long as all before it took, but for 50 ms at the start and the coarseness of timers.
      expect(left[turn]).toBeGreaterThan(before - 60);
    }
    clearInterval(count);
    // Others had the event loop in each of the pauses, the first of which is short.
    expect(others).toBeGreaterThanOrEqual(4);
  });
});
