import { describe, expect, it } from '@jest/globals';
import type { QuotaStore } from '../store/index.js';
import { MonthPurse } from './quota-block.js';

/** The row of one tenant and month, and how often it was asked. */
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
      if (row.fails) throw new Error('away');
      row.used -= count;
    },
  };
  return row;
}

const purseOn = (row: QuotaStore, limit: number): MonthPurse => new MonthPurse(row, 'tenant', '2026-01', limit);

async function takeAll(purse: MonthPurse): Promise<number> {
  let taken = 0;
  while (await purse.take()) taken += 1;
  return taken;
}

describe('a purse of executions', () => {
  it.each([0, 1, 199, 200, 1000])('holds exactly the limit: %s', async (limit) => {
    const row = sharedRow();
    expect(await takeAll(purseOn(row, limit))).toBe(limit);
    expect(row.used).toBe(limit);
  });

  it('asks seldom while much is left, and holds little back as the end comes near', async () => {
    const row = sharedRow();
    const purse = purseOn(row, 1_000_000);
    for (let taken = 0; taken < 5000; taken += 1) await purse.take();
    expect(row.asked).toBeLessThan(20);
    const nearEnd = sharedRow(99_950);
    const [one, other] = [purseOn(nearEnd, 100_000), purseOn(nearEnd, 100_000)];
    await one.take();
    expect(await takeAll(other)).toBe(49);
  });

  it('gives back what it holds once it is idle, and can be taken from again', async () => {
    const row = sharedRow();
    const purse = purseOn(row, 100_000);
    for (let taken = 0; taken < 3; taken += 1) await purse.take();
    expect(row.used).toBeGreaterThan(3);
    expect(await purse.giveBackWhenIdle()).toBe(false);
    expect(row.used).toBeGreaterThan(3);
    expect(await purse.giveBackWhenIdle()).toBe(true);
    expect(row.used).toBe(3);
    await purse.take();
    expect(await purse.giveBackWhenIdle()).toBe(false);
  });

  it('keeps what it could not give back', async () => {
    const row = sharedRow();
    const purse = purseOn(row, 100_000);
    for (let taken = 0; taken < 3; taken += 1) await purse.take();
    row.fails = true;
    await expect(purse.giveBack()).rejects.toThrow('away');
    row.fails = false;
    await purse.giveBack();
    expect(row.used).toBe(3);
  });
});
