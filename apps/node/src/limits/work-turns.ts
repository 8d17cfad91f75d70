import { setImmediate as nextTurnOfLoop, setTimeout as sleep } from 'node:timers/promises';

/** The clock of the turns. */
export interface WorkClock {
  /** Milliseconds; never goes back. */
  readonly now: () => number;
  /** Resolves when the synchronous work that was just started has ended. */
  readonly idle: () => Promise<unknown>;
  readonly pause: (ms: number) => Promise<unknown>;
}

const CLOCK: WorkClock = {
  now: () => performance.now(),
  idle: () => nextTurnOfLoop(),
  pause: (ms) => sleep(ms),
};

/** Bytes of JSON up to which work needs no turn, and the bytes of batch lines in one turn. */
export const SLICE_BYTES = 64 * 1024;
/** Share of event-loop time for such work while other callers send requests. */
const SHARE = 0.3;
/** Time for which a caller counts as one that sends requests, in ms. */
const ACTIVE_MS = 1000;
const MAX_REMEMBERED = 1000;

/** A request with JSON in its body. */
interface WithJson {
  readonly body: { readonly length: number };
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Takes large work on the event loop in turns, one piece at a time: the holder (a tenant) that used the least time is
 * next, and beside other callers the loop has a pause after each piece. One holder alone never waits for a pause.
 */
export class WorkTurns {
  readonly #clock: WorkClock;
  readonly #lines = new Map<string, Waiting[]>();
  /** Time used, from a common start: a holder that comes back has no credit for its absence. */
  readonly #used = new Map<string, number>();
  /** The last two distinct callers. */
  #callers: { readonly id: string; atMs: number }[] = [];
  #level = 0;
  #isServing = false;

  constructor(clock: WorkClock = CLOCK) {
    this.#clock = clock;
  }

  /** Records a request of any size. */
  note(caller: string): void {
    const atMs = this.#clock.now();
    const [latest] = this.#callers;
    if (latest?.id === caller) latest.atMs = atMs;
    else this.#callers = [{ id: caller, atMs }, ...(latest === undefined ? [] : [latest])];
  }

  /**
   * Waits for a turn. The caller then does its synchronous work at once: the time until the event loop is free again is
   * charged to the holder.
   * @throws the signal's reason when it aborted before the turn
   */
  take(holder: string, signal?: AbortSignal): Promise<void> {
    return new Promise((admit, refuse) => {
      const line = this.#lines.get(holder) ?? [];
      line.push({ signal, admit, refuse });
      this.#lines.set(holder, line);
      if (!this.#isServing) void this.#serve();
    });
  }

  /** {@link take}, for JSON of more than one slice. For other requests no signal is made. */
  async takeFor(holder: string, request: WithJson): Promise<void> {
    if (request.body.length > SLICE_BYTES) await this.take(holder, request.signal);
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    for (let holder = this.#next(); holder !== null; holder = this.#next()) {
      const waiting = this.#shift(holder);
      if (waiting.signal?.aborted === true) {
        waiting.refuse(waiting.signal.reason);
        continue;
      }
      const since = this.#clock.now();
      waiting.admit();
      await this.#clock.idle();
      const tookMs = this.#clock.now() - since;
      this.#charge(holder, tookMs);
      if (this.#isBesideOthers(holder)) await this.#clock.pause(tookMs * (1 / SHARE - 1));
    }
    this.#isServing = false;
  }

  #next(): string | null {
    let least: string | null = null;
    for (const holder of this.#lines.keys()) {
      if (least === null || this.#usedBy(holder) < this.#usedBy(least)) least = holder;
    }
    return least;
  }

  #shift(holder: string): Waiting {
    const line = this.#lines.get(holder) ?? [];
    const waiting = line.shift();
    if (line.length === 0) this.#lines.delete(holder);
    if (waiting === undefined) throw new Error('a turn without work');
    return waiting;
  }

  #usedBy(holder: string): number {
    return Math.max(this.#level, this.#used.get(holder) ?? 0);
  }

  #charge(holder: string, tookMs: number): void {
    const used = this.#usedBy(holder);
    this.#level = used;
    this.#used.set(holder, used + tookMs);
    if (this.#used.size <= MAX_REMEMBERED) return;
    for (const [other, usedMs] of this.#used) if (usedMs <= this.#level) this.#used.delete(other);
  }

  #isBesideOthers(holder: string): boolean {
    if ([...this.#lines.keys()].some((other) => other !== holder)) return true;
    const since = this.#clock.now() - ACTIVE_MS;
    return this.#callers.some(({ id, atMs }) => id !== holder && atMs >= since);
  }
}
