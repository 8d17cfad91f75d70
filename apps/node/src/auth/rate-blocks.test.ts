import { describe, expect, it } from '@jest/globals';
import type { RatePoints } from '../store/index.js';
import { RateBlocks } from './rate-blocks.js';

const WINDOW_MS = 60_000;

/** A shared count with its own clock. */
function sharedCount(): RatePoints & { now: number; readonly asked: number[] } {
  const windows = new Map<string, { taken: number; readonly until: number }>();
  const count = {
    now: 1_000_000,
    asked: [] as number[],
    take: async (key: string, points: number) => {
      count.asked.push(points);
      const open = windows.get(key);
      const window = open !== undefined && count.now < open.until ? open : { taken: 0, until: count.now + WINDOW_MS };
      window.taken += points;
      windows.set(key, window);
      return { taken: window.taken, msLeft: window.until - count.now };
    },
  };
  return count;
}

const nodesOn = (shared: ReturnType<typeof sharedCount>, nodes: number): RateBlocks[] =>
  Array.from({ length: nodes }, () => new RateBlocks(shared, () => shared.now));

async function spendMany(nodes: readonly RateBlocks[], requests: number, limit: number): Promise<number> {
  const rounds = Array.from({ length: Math.ceil(requests / nodes.length) }, () =>
    nodes.map((node) => node.spend('key', limit)),
  );
  return (await Promise.all(rounds.flat())).filter(({ allowed }) => allowed).length;
}

describe('rate blocks', () => {
  it.each([0, 1, 5, 49, 50, 51, 99, 1000, 1001])('allow exactly the limit on one node: %s', async (limit) => {
    expect(await spendMany(nodesOn(sharedCount(), 1), limit + 100, limit)).toBe(limit);
  });

  it.each([
    [2, 7],
    [2, 1000],
    [3, 101],
  ])('never exceed the limit on %s nodes: %s', async (nodes, limit) => {
    const allowed = await spendMany(nodesOn(sharedCount(), nodes), limit * 3, limit);
    expect(allowed).toBeLessThanOrEqual(limit);
    expect(allowed).toBeGreaterThanOrEqual(limit - nodes * Math.ceil(limit / 50));
  });

  it('read the shared count at most 50 times per window', async () => {
    const shared = sharedCount();
    const [node] = nodesOn(shared, 1);
    for (let request = 0; request < 3000; request += 1) await node?.spend('key', 2000);
    expect(shared.asked).toHaveLength(50);
  });

  it('report the remaining requests and the reset time', async () => {
    const shared = sharedCount();
    const [node] = nodesOn(shared, 1);
    expect(await node?.spend('key', 2)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
    shared.now += 30_500;
    expect(await node?.spend('key', 2)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 30 });
    expect(await node?.spend('key', 2)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 30 });
    shared.now += 29_499;
    expect(await node?.spend('key', 2)).toMatchObject({ allowed: false, resetSeconds: 1 });
    shared.now += 1;
    expect(await node?.spend('key', 2)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
  });

  it('follow a changed limit', async () => {
    const [node] = nodesOn(sharedCount(), 1);
    expect(await node?.spend('key', 1000)).toMatchObject({ allowed: true, remaining: 999 });
    expect(await node?.spend('key', 5)).toMatchObject({ allowed: false, limit: 5 });
    expect(await node?.spend('key', 100)).toMatchObject({ allowed: true, limit: 100 });
  });

  it('are separate per key and bounded', async () => {
    const shared = sharedCount();
    const [node] = nodesOn(shared, 1);
    expect((await node?.spend('a', 1))?.allowed).toBe(true);
    expect((await node?.spend('b', 1))?.allowed).toBe(true);
    for (let key = 0; key < 50_000; key += 1) await node?.spend(`key ${key}`, 1);
    const before = shared.asked.length;
    // Evicted here, but still in the shared count.
    expect((await node?.spend('a', 1))?.allowed).toBe(false);
    expect(shared.asked.length).toBe(before + 1);
  });

  it('handle a new key in constant time', async () => {
    const shared = sharedCount();
    let looks = 0;
    const node = new RateBlocks(shared, () => {
      looks += 1;
      return shared.now;
    });
    for (let key = 0; key < 50_001; key += 1) await node.spend(`key ${key}`, 1);
    looks = 0;
    await node.spend('one more', 1);
    expect(looks).toBeLessThan(10);
  });

  it('are not evicted while a key is in use', async () => {
    const shared = sharedCount();
    const node = new RateBlocks(shared, () => shared.now);
    const busy = (): Promise<unknown> => node.spend('busy', 100);
    for (let request = 0; request < 3; request += 1) await busy();
    for (let key = 0; key < 49_999; key += 1) await node.spend(`key ${key}`, 1);
    const before = shared.asked.length;
    await busy();
    expect(shared.asked.length).toBe(before);
  });
});
