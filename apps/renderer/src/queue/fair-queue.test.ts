import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@cer/http-service';
import { createFairQueue, type FairQueue } from './fair-queue.js';
import type { JobKind } from './job-kind.js';
import type { JobMeter } from './render-use.js';

const LIMITS = {
  slots: 2,
  loopSlots: 1,
  maxRunningPerTenant: 2,
  slowStillMs: 3000,
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

describe('The fair queue', () => {
  it('admits one job per free slot', async () => {
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

  it('serves tenants in turn, however many jobs each has', async () => {
    const order: string[] = [];
    const queue = createFairQueue({ ...LIMITS, slots: 1 }, () => 0);
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

  it('reserves a slot for stills, limits loops per tenant', async () => {
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

  it("refuses jobs beyond a tenant's places and beyond the queue", async () => {
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

  it('removes callers that disconnect while they wait', async () => {
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

describe('Tenants with hanging sketches', () => {
  const SHARED = { ...LIMITS, slots: 3, loopSlots: 2, maxWaiting: 64, maxWaitingStillsPerTenant: 16 };

  /** A clock that the test moves, and jobs that run until the test ends them. */
  function machine() {
    const state = { nowMs: 0 };
    const order: string[] = [];
    const running = new Map<string, () => void>();
    const queue = createFairQueue(SHARED, () => state.nowMs);
    const enter = (tenantId: string, name: string, kind: JobKind = 'still', meter?: JobMeter): void => {
      const { signal } = new AbortController();
      void queue.enter({ tenantId, kind, signal, ...(meter !== undefined && { meter }) }).then((leave) => {
        order.push(name);
        running.set(name, leave);
      });
    };
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const end = async (name: string): Promise<void> => {
      running.get(name)?.();
      running.delete(name);
      await settle();
    };
    return { state, order, running, enter, end, settle };
  }

  it('leave a slot to another tenant at once', async () => {
    const { order, enter, settle } = machine();
    for (let job = 1; job <= 16; job++) enter('a', `hang ${job}`);
    await settle();
    expect(order).toEqual(['hang 1', 'hang 2']);
    enter('b', 'short');
    await settle();
    expect(order).toEqual(['hang 1', 'hang 2', 'short']);
  });

  it('never take the last slot together once slow', async () => {
    const { state, order, running, enter, end, settle } = machine();
    for (const tenant of ['a', 'c', 'd']) for (let job = 1; job <= 8; job++) enter(tenant, `${tenant}${job}`);
    await settle();
    expect([...running.keys()]).toEqual(['a1', 'a2', 'c1']);
    state.nowMs = 15_000;
    for (const name of ['a1', 'a2', 'c1']) await end(name);
    expect([...running.keys()]).toEqual(['d1', 'd2']);
    state.nowMs = 30_000;
    for (const name of ['d1', 'd2']) await end(name);
    expect(running.size).toBe(2);
    for (let render = 1; render <= 20; render++) {
      enter('b', `b${render}`);
      await settle();
      expect(order.at(-1)).toBe(`b${render}`);
      state.nowMs += 200;
      await end(`b${render}`);
    }
  });

  it('leave the last slot to tenants that wait for a core', async () => {
    const { state, order, running, enter, end, settle } = machine();
    const cpu = new Map<string, number>();
    const measured = (tenant: string, name: string): void => {
      enter(tenant, name, 'still', { cpuMs: () => cpu.get(name) ?? 0, isTimedOut: () => (cpu.get(name) ?? 0) > 3000 });
    };
    measured('b', 'b1');
    await settle();
    state.nowMs = 9000;
    cpu.set('b1', 200);
    await end('b1');
    for (let job = 1; job <= 8; job++) measured('a', `a${job}`);
    await settle();
    expect([...running.keys()]).toEqual(['a1', 'a2']);
    for (let render = 2; render <= 5; render++) {
      measured('b', `b${render}`);
      await settle();
      expect(order.at(-1)).toBe(`b${render}`);
      state.nowMs += 9000;
      cpu.set(`b${render}`, 200).set('a1', 3001);
      await end(`b${render}`);
    }
  });

  it('wait until others have used as much render time', async () => {
    const { state, order, running, enter, end, settle } = machine();
    enter('x', 'loop of x', 'loop');
    enter('y', 'loop of y', 'loop');
    enter('a', 'hang');
    await settle();
    enter('a', 'next of a');
    for (let render = 1; render <= 10; render++) enter('b', `b${render}`);
    state.nowMs = 2900;
    await end('hang');
    for (let render = 1; render <= 10; render++) {
      expect([...running.keys()].at(-1)).toBe(`b${render}`);
      state.nowMs += 200;
      await end(`b${render}`);
    }
    expect(order.at(-1)).toBe('next of a');
  });

  it('get less room in a fuller queue', async () => {
    const queue = createFairQueue({ ...SHARED, maxWaiting: 6 }, () => 0);
    const enter = entering(queue, []);
    const outcomeOf = (entered: Promise<unknown>): Promise<unknown> =>
      Promise.race([
        entered.catch((error: unknown) => (error instanceof ServiceError ? String(error.code) : 'not a refusal')),
        new Promise<string>((resolve) => setImmediate(resolve, 'waits')),
      ]);
    const outcomes: unknown[] = [];
    await enter('a', 'a1');
    await enter('a', 'a2');
    for (let job = 3; job <= 6; job++) outcomes.push(await outcomeOf(enter('a', `a${job}`)));
    await enter('z', 'z');
    for (const tenant of ['b', 'b', 'c', 'c', 'd', 'e']) outcomes.push(await outcomeOf(enter(tenant, tenant)));
    expect(outcomes).toEqual([
      ...['waits', 'waits', 'waits', 'RATE_LIMITED'],
      ...['waits', 'waits', 'waits', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
    ]);
  });
});
