import { describe, expect, it } from '@jest/globals';
import { ShareLimiter } from './share-limiter.js';

const nothing = (): void => undefined;

describe('ShareLimiter', () => {
  it('runs work sequentially, also after failures', async () => {
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

  it('skips cancelled work', async () => {
    const turns = new ShareLimiter(0.9);
    let worked = 0;
    const gone = (): void => {
      throw new Error('gone');
    };
    await expect(turns.take(gone, async () => (worked += 1))).rejects.toThrow('gone');
    expect(await turns.take(nothing, async () => (worked += 1))).toBe(1);
  });

  it('leaves the rest of the time to other work', async () => {
    const turns = new ShareLimiter(0.5);
    const begun = performance.now();
    let [worked, others] = [0, 0];
    /** Wait of each run beyond the duration of the previous work. */
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
      // Each run waits as long as all previous work took, except for 50 ms at the start and timer resolution.
      expect(left[turn]).toBeGreaterThan(before - 60);
    }
    clearInterval(count);
    // Other work ran in each pause; the first pause is short.
    expect(others).toBeGreaterThanOrEqual(4);
  });
});
