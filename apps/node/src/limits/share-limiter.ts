import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum lead of work over its share, in milliseconds: small work then never waits for a timer. */
const AHEAD_MS = 50;

/** Runs work sequentially, in order of arrival, within a share of event-loop time. */
export class ShareLimiter {
  readonly #share: number;
  #last: Promise<unknown> = Promise.resolve();
  /** The time at which the work done so far is within its share. */
  #paidAt = 0;
  #waiting = 0;

  /** @param share of the time that the work may take, above 0 and below 1 */
  constructor(share: number) {
    this.#share = share;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs `work` in its turn.
   * @param begin called immediately before; if it throws, `work` does not run
   */
  async take<T>(begin: () => void | Promise<void>, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#run(begin, work));
    this.#last = turn.catch(() => undefined);
    this.#waiting += 1;
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #run<T>(begin: () => void | Promise<void>, work: () => Promise<T>): Promise<T> {
    const ahead = this.#paidAt - performance.now();
    if (ahead > AHEAD_MS) await sleep(ahead - AHEAD_MS);
    await begin();
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#paidAt = Math.max(this.#paidAt, startedAt) + (performance.now() - startedAt) / this.#share;
    }
  }
}
