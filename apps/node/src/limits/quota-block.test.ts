import { describe, expect, it } from '@jest/globals';
import { StoreError, type QuotaStore } from '../store/index.js';
import { QuotaBlock } from './quota-block.js';

/** The row of one tenant and month, with a count of its reads. */
function sharedRow(used = 0): QuotaStore & { used: number; asked: number; fails: boolean } {
  const row = {
    used,
    asked: 0,
    fails: false,
    take: async (_tenant: string, _month: string, wanted: number, limit: number) => {
      row.asked += 1;
      const taken = Math.max(0, Math.min(wanted, limit - row.used));
      row.used += taken;
      return { taken, used: row.used };
    },
    giveBack: async (_tenant: string, _month: string, count: number) => {
      if (row.fails) throw new StoreError('STORE_CONTENDED', 'conflicting transactions');
      row.used -= count;
    },
  };
  return row;
}

const blockOn = (row: QuotaStore, limit: number): QuotaBlock => new QuotaBlock(row, 'tenant', '2026-01', limit);

async function takeAll(block: QuotaBlock): Promise<number> {
  let taken = 0;
  while (await block.take()) taken += 1;
  return taken;
}

describe('a block of executions', () => {
  it.each([0, 1, 199, 200, 1000])('allows exactly the limit: %s', async (limit) => {
    const row = sharedRow();
    expect(await takeAll(blockOn(row, limit))).toBe(limit);
    expect(row.used).toBe(limit);
  });

  it('fetches smaller blocks near the limit', async () => {
    const row = sharedRow();
    const block = blockOn(row, 1_000_000);
    for (let taken = 0; taken < 5000; taken += 1) await block.take();
    expect(row.asked).toBeLessThan(20);
    const nearEnd = sharedRow(99_950);
    const [one, other] = [blockOn(nearEnd, 100_000), blockOn(nearEnd, 100_000)];
    await one.take();
    expect(await takeAll(other)).toBe(49);
  });

  it('returns unused executions when idle and can be used again', async () => {
    const row = sharedRow();
    const block = blockOn(row, 100_000);
    for (let taken = 0; taken < 3; taken += 1) await block.take();
    expect(row.used).toBeGreaterThan(3);
    expect(await block.giveBackWhenIdle()).toBe(false);
    expect(row.used).toBeGreaterThan(3);
    expect(await block.giveBackWhenIdle()).toBe(true);
    expect(row.used).toBe(3);
    await block.take();
    expect(await block.giveBackWhenIdle()).toBe(false);
  });

  it('keeps executions that it could not return', async () => {
    const row = sharedRow();
    const block = blockOn(row, 100_000);
    for (let taken = 0; taken < 3; taken += 1) await block.take();
    row.fails = true;
    await expect(block.giveBack()).rejects.toThrow('conflicting');
    row.fails = false;
    await block.giveBack();
    expect(row.used).toBe(3);
  });
});
