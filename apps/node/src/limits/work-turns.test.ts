import { describe, expect, it } from '@jest/globals';
import { WorkTurns } from './work-turns.js';

/** Work of known cost, on a clock that only work and pauses move. */
function bench() {
  let nowMs = 0;
  const log: string[] = [];
  const turns = new WorkTurns({
    now: () => nowMs,
    idle: () => new Promise((resolve) => setImmediate(resolve)),
    pause: async (ms) => {
      nowMs += ms;
      log.push(`pause ${Math.round(ms)}`);
    },
  });
  const work = async (holder: string, name: string, costMs: number, signal?: AbortSignal): Promise<void> => {
    await turns.take(holder, signal);
    log.push(name);
    nowMs += costMs;
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { turns, log, work, settle, pass };
}

describe('turns of large work', () => {
  it('serve the holder that used the least time', async () => {
    const { log, work } = bench();
    const attack = Array.from({ length: 4 }, (_, at) => work('a', `a${at}`, 300));
    const others = Array.from({ length: 5 }, (_, at) => work('b', `b${at}`, 60));
    await Promise.all([...attack, ...others]);
    expect(log.filter((entry) => !entry.startsWith('pause'))).toEqual([
      'a0',
      'b0',
      'b1',
      'b2',
      'b3',
      'b4',
      'a1',
      'a2',
      'a3',
    ]);
  });

  it('leave the loop to other callers after each piece', async () => {
    const { turns, log, work, settle } = bench();
    turns.note('b');
    turns.note('a');
    await Promise.all([work('a', 'a1', 150), work('a', 'a2', 30)]);
    await settle();
    expect(log).toEqual(['a1', 'pause 350', 'a2', 'pause 70']);
  });

  it('never pause for one tenant alone', async () => {
    const { turns, log, work, settle, pass } = bench();
    turns.note('b');
    pass(1001);
    turns.note('a');
    await Promise.all([work('a', 'a1', 500), work('a', 'a2', 30)]);
    await settle();
    expect(log).toEqual(['a1', 'a2']);
  });

  it('give no credit for absence', async () => {
    const { log, work } = bench();
    for (let at = 0; at < 5; at++) await work('a', 'before', 100);
    log.length = 0;
    await Promise.all([
      ...Array.from({ length: 3 }, (_, at) => work('new', `new${at}`, 100)),
      ...Array.from({ length: 3 }, (_, at) => work('a', `a${at}`, 100)),
    ]);
    expect(log.filter((entry) => !entry.startsWith('pause')).indexOf('a0')).toBeLessThanOrEqual(2);
  });

  it('skip work whose client is gone', async () => {
    const { log, work } = bench();
    const gone = new AbortController();
    const first = work('a', 'a1', 10);
    const second = work('a', 'a2', 10, gone.signal);
    gone.abort(new Error('gone'));
    await first;
    await expect(second).rejects.toThrow('gone');
    expect(log).toEqual(['a1']);
  });
});
