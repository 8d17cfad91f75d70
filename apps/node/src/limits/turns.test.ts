import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const nothing = (): void => undefined;

describe('turns', () => {
  it('are one at a time, in order of arrival, whatever happens to the one before', async () => {
    const turns = new Turns(0.9);
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
    const turns = new Turns(0.9);
    let worked = 0;
    const gone = (): void => {
      throw new Error('gone');
    };
    await expect(turns.take(gone, async () => (worked += 1))).rejects.toThrow('gone');
    expect(await turns.take(nothing, async () => (worked += 1))).toBe(1);
  });

  it('leave the rest of the time to others', async () => {
    const turns = new Turns(0.5);
    const busy = async (): Promise<void> => {
      const until = performance.now() + 60;
      while (performance.now() < until);
    };
    let others = 0;
    let working = true;
    const count = (): void => {
      others += 1;
      if (working) setTimeout(count, 1);
    };
    count();
    for (let turn = 0; turn < 6; turn += 1) await turns.take(nothing, busy);
    working = false;
    // Back to back, timers would run once between two turns; each turn leaves as long as it took, but for a start.
    expect(others).toBeGreaterThan(12);
  });
});
