import { LONGEST_TIMER_MS } from '../longest-timer.js';
import { NodeError } from '../node-api/node-error.js';
import { retryDelay } from '../node-api/retry.js';
import { Narrowing } from './narrowing.js';
import { createPostponed } from './postponed.js';
import {
  anotherThan,
  asksToWait,
  BATCH_LINES,
  HeldError,
  isTaken,
  oneRequest,
  sendOrSetApart,
  sendWhereItFits,
  type DrainDeps,
  type Patience,
  type Queue,
  type Sending,
} from './send.js';
import type { Batch } from './spool.js';

/**
 * Maximum milliseconds of silence in a request after a success; doubled by each failure in a row. A request keeps the
 * program from ending, and a node that is well starts its answer at once.
 */
const FIRST_SILENCE_MS = 2000;

/** Maximum milliseconds that a node can ask to wait. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

export interface Drain {
  /** Starts sending the waiting bundles, unless sending is in progress. */
  start(): void;
  /** Sends now and waits. @returns when nothing waits, or after `timeoutMs` */
  flush(timeoutMs: number): Promise<void>;
  /** Stops sending; a request that is under way ends. */
  stop(): void;
}

/** Sends sealed bundles to the node. A bundle that was sent twice is one certificate: its `executionId` says so. */
export function createDrain(deps: DrainDeps): Drain {
  const moved = new Set<string>();
  const postponed = createPostponed(deps.failed, deps.spools.at(-1));
  const queues: readonly Queue[] = deps.spools.map((spool) => ({ spool, narrowing: new Narrowing() }));
  let running: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  // In a row, and those of the bundles that were set apart, whose pauses hold up no other.
  let failures = 0;
  let failuresApart = 0;
  // When these may be sent, not as the time of day, which may be set.
  let apartAt = 0;
  let isPauseOfApart = false;
  let isStartedWithin = false;
  let most = BATCH_LINES;
  let isStopped = false;
  let request = new AbortController();

  const waits = (): boolean => deps.spools.some(({ waiting }) => waiting > 0);

  const wakeAfter = (delay: number, isOfApart: boolean): void => {
    if (timer !== null) clearTimeout(timer);
    isPauseOfApart = isOfApart;
    timer = setTimeout(() => {
      timer = null;
      run();
    }, delay);
    deps.unref(timer);
  };

  const later = (retryAfterMs: number | null, isOfApart: boolean): void => {
    const attempt = isOfApart ? failuresApart : failures;
    const delay = retryDelay(attempt, retryAfterMs, deps.random) ?? Math.min(retryAfterMs ?? 0, MAX_WAIT_MS);
    if (isOfApart) apartAt = performance.now() + delay;
    if (isStopped || (timer !== null && (isOfApart || !isPauseOfApart))) return;
    wakeAfter(delay, isOfApart);
  };

  /**
   * Sends a batch, and what it takes to find out that its one bundle is at fault, which is then set apart.
   * @throws NodeError when the rest of the batch must be sent later
   */
  const sendBatch = async (sending: Sending, patience: Patience): Promise<void> => {
    try {
      most = await sendWhereItFits(sending, most, patience);
    } catch (error) {
      if (!(error instanceof NodeError) || asksToWait(error)) throw error;
      const { spool, batch, narrowing } = sending;
      const [text = '', ...others] = oneRequest(batch.texts, postponed);
      if (postponed.isApart(text)) {
        // Another one of these is next.
        if (spool.waiting > 1) postponed.moveApart(sending, text);
        throw error;
      }
      const comparison = narrowing.failed(1 + others.length);
      if (comparison === 0) throw error;
      const other = await anotherThan(text, sending, comparison);
      if (other === null) throw error;
      if (!(await isTaken(other, sending, patience))) {
        // A request more than in other rounds; the pause behind it is longer.
        failures += 1;
        throw error;
      }
      await sendOrSetApart(sending, text, { ...patience, timeoutMs: deps.timeoutMs });
    }
    failures = 0;
  };

  /**
   * @param isLast sends the bundles that were set apart, else the others
   * @returns whether the next spool may be sent: a fault of this one's disk or of its bundles does not hold it up
   */
  const sendSpool = async ({ spool, narrowing }: Queue, isLast: boolean): Promise<boolean> => {
    const next = (): Promise<Batch | null> => spool.next(Math.floor(narrowing.most(most)));
    let moves = 0;
    try {
      for (let batch = await next(); batch !== null; batch = await next()) {
        if (isStopped) return false;
        const [first = ''] = batch.texts;
        const isApart = postponed.isApart(first);
        if (!isLast && isApart && spool.waiting > Math.max(1, moves)) {
          moves += 1;
          postponed.moveApart({ spool, batch }, first);
          continue;
        }
        if (isApart !== isLast) return true;
        const failed = isLast ? failuresApart : failures;
        const timeoutMs = Math.min(deps.timeoutMs, FIRST_SILENCE_MS * 2 ** Math.min(failed, 16));
        // One for each request: Node.js keeps a reference to each of those that depend on one that lives long.
        request = new AbortController();
        const patience = { timeoutMs, signal: request.signal };
        const hasFailed = failed > 0;
        await sendBatch({ ...deps, spool, narrowing, batch, moved, postponed, hasFailed }, patience);
        if (isLast) failuresApart = 0;
      }
      return true;
    } catch (error) {
      if (isStopped) return false;
      const fault = error instanceof HeldError ? error.fault : error;
      if (isLast) failuresApart += 1;
      else failures += 1;
      deps.failed(fault);
      later(fault instanceof NodeError ? fault.retryAfterMs : null, isLast);
      return !(error instanceof NodeError);
    }
  };
  const sendAll = async (): Promise<void> => {
    for (const queue of queues) {
      if (!(await sendSpool(queue, false))) return;
    }
    const rest = apartAt - performance.now();
    if (rest > 0) {
      if (timer === null && waits() && !isStopped) wakeAfter(rest, true);
      return;
    }
    // Each spool is the first one in turn.
    for (const queue of failuresApart % 2 === 0 ? queues : queues.toReversed()) {
      if (!(await sendSpool(queue, true))) return;
    }
  };

  const run = (): void => {
    if (isStopped || running !== null) return;
    isStartedWithin = false;
    running = sendAll().finally(() => {
      running = null;
      // Stored in one spool while another one was sent.
      if (timer === null ? waits() : isPauseOfApart && isStartedWithin) run();
    });
  };

  return {
    start: () => {
      isStartedWithin = true;
      if (timer === null || isPauseOfApart) run();
    },
    flush: async (timeoutMs) => {
      // Not the time of day, which may be set.
      const deadline = performance.now() + timeoutMs;
      while (waits() && !isStopped) {
        if (timer !== null) clearTimeout(timer);
        timer = null;
        apartAt = 0;
        run();
        await within(running, deadline);
        if (performance.now() >= deadline || !waits()) return;
        const delay = retryDelay(Math.min(Math.max(failures, failuresApart), 3), null, deps.random) ?? 0;
        await within(new Promise(() => undefined), Math.min(deadline, performance.now() + delay));
      }
    },
    stop: () => {
      isStopped = true;
      request.abort();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

async function within(work: Promise<unknown> | null, deadline: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(LONGEST_TIMER_MS, Math.max(0, deadline - performance.now())));
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
