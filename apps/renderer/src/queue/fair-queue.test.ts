import { describe, expect, it } from '@jest/globals';
import { createFairQueue, type FairQueue, type JobKind } from './fair-queue.js';

const LIMITS = {
  slots: 2,
  loopSlots: 1,
  maxWaiting: 5,
  maxWaitingStillsPerTenant: 3,
  maxWaitingLoopsPerTenant: 2,
  maxRunningLoopsPerTenant: 1,
};

/** Enters a job and notes in `order` when it is admitted. */
function entering(queue: FairQueue, order: string[]) {
  return (tenantId: string, name: string, kind: JobKind = 'still', signal = new AbortController().signal) =>
    queue.enter({ tenantId, kind, signal }).then((leave) => {
      order.push(name);
      return leave;
    });
}

describe('The fair line', () => {
  it('admits as many as there are slots, and the next when one is given back', async () => {
    const order: string[] = [];
    const queue = createFairQueue(LIMITS);
    const enter = entering(queue, order);
    const [first] = await Promise.all([enter('a', 'a1'), enter('a', 'a2')]);
    const third = enter('a', 'a3');
    expect([queue.running, queue.waiting]).toEqual([2, 1]);
    first();
    await third;
    expect(order).toEqual(['a1', 'a2', 'a3']);
  });

  it('serves tenants in turn, however many jobs one of them has', async () => {
    const order: string[] = [];
    const queue = createFairQueue({ ...LIMITS, slots: 1 });
    const enter = entering(queue, order);
    const first = await enter('a', 'a1');
    const rest = [enter('a', 'a2'), enter('a', 'a3'), enter('b', 'b1'), enter('c', 'c1')];
    first();
    for (const job of rest.map((pending) =>
      pending.then((leave) => {
        leave();
      }),
    ))
      await job;
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('keeps one slot for stills and one running loop per tenant', async () => {
    const order: string[] = [];
    const queue = createFairQueue({ ...LIMITS, slots: 3, loopSlots: 2 });
    const enter = entering(queue, order);
    await enter('a', 'loop a', 'loop');
    void enter('a', 'second loop of a', 'loop');
    await enter('b', 'loop b', 'loop');
    void enter('c', 'loop c', 'loop');
    await enter('d', 'still d');
    expect(order).toEqual(['loop a', 'loop b', 'still d']);
  });

  it('refuses what a tenant may not hold in line, and what the line cannot hold', async () => {
    const queue = createFairQueue({ ...LIMITS, slots: 1 });
    const enter = entering(queue, []);
    await enter('a', 'a1', 'loop');
    void enter('a', 'a2', 'loop');
    void enter('a', 'a3', 'loop');
    await expect(enter('a', 'a4', 'loop')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      refusal: { headers: { 'retry-after': '5' } },
    });
    void enter('b', 'b1');
    void enter('c', 'c1');
    void enter('d', 'd1');
    await expect(enter('e', 'e1')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(queue.waiting).toBe(5);
  });

  it('forgets whoever goes away while waiting', async () => {
    const order: string[] = [];
    const queue = createFairQueue({ ...LIMITS, slots: 1 });
    const enter = entering(queue, order);
    const leave = await enter('a', 'a1');
    const gone = new AbortController();
    const waiting = enter('b', 'b1', 'still', gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(queue.waiting).toBe(0);
    leave();
    expect([queue.running, order]).toEqual([0, ['a1']]);
    await expect(enter('b', 'b2', 'still', gone.signal)).rejects.toThrow('gone');
  });

  it('gives a slot back only once', async () => {
    const queue = createFairQueue(LIMITS);
    const enter = entering(queue, []);
    const leave = await enter('a', 'a1');
    await enter('a', 'a2');
    leave();
    leave();
    expect(queue.running).toBe(1);
  });
});
