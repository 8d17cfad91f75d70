import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { Store } from '../../src/store/index.js';

/** Contract of leases. */
export function leaseContract(opened: () => Store): void {
  describe('leases', () => {
    it('go to one of many concurrent holders', async () => {
      const { leases } = opened();
      const name = randomUUID();
      const holders = Array.from({ length: 8 }, () => randomUUID());
      const held = await Promise.all(holders.map((holder) => leases.acquire(name, holder, 60_000)));
      expect(held.filter(Boolean)).toHaveLength(1);
    });

    it('are renewed by their holder and free on release', async () => {
      const { leases } = opened();
      const name = randomUUID();
      expect(await leases.acquire(name, 'first', 60_000)).toBe(true);
      expect(await leases.acquire(name, 'first', 60_000)).toBe(true);
      expect(await leases.acquire(name, 'second', 60_000)).toBe(false);
      await leases.release(name, 'second');
      expect(await leases.acquire(name, 'second', 60_000)).toBe(false);
      await leases.release(name, 'first');
      expect(await leases.acquire(name, 'second', 60_000)).toBe(true);
    });

    it('expire, so that a dead holder blocks no process', async () => {
      const { leases } = opened();
      const name = randomUUID();
      expect(await leases.acquire(name, 'dead', 1)).toBe(true);
      await sleep(20);
      expect(await leases.acquire(name, 'alive', 60_000)).toBe(true);
    });

    it('are kept by a holder that asked later by the clock, as one of two at the same moment does', async () => {
      const { leases } = opened();
      const name = randomUUID();
      expect(await leases.acquire(name, 'first', 60_000)).toBe(true);
      // Its statement began 100 ms before the first one's.
      expect(await leases.acquire(name, 'second', 59_900)).toBe(false);
    });

    it('expire when the clock was set back, so that they end later than any new one', async () => {
      const { leases } = opened();
      const name = randomUUID();
      expect(await leases.acquire(name, 'dead', 86_400_000)).toBe(true);
      expect(await leases.acquire(name, 'alive', 60_000)).toBe(true);
      expect(await leases.acquire(name, 'other', 60_000)).toBe(false);
    });
  });
}
