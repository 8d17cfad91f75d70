import type { RatePoints } from '../store/index.js';

/** What is left of a limit after a request was counted against it. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests a window. */
  readonly limit: number;
  /** At least so many are left in this window; other nodes may take them too. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** Points are fetched in blocks of this share of the limit, so that few requests wait for the database. */
const BLOCKS_A_WINDOW = 50;
/** Keys whose block is remembered here; beyond it the oldest goes. */
const MAX_KEYS = 50_000;

interface Block {
  readonly limit: number;
  /** Points in hand. */
  left: number;
  /** What nobody has taken, when this node last asked. */
  untaken: number;
  readonly until: number;
}

/**
 * Spends one point a request. Most requests are counted in memory, out of a block that was taken from the shared count
 * before: together the nodes never allow more than the limit, and a node may hold back at most one block from the others.
 */
export class RateBlocks {
  readonly #points: RatePoints;
  readonly #now: () => number;
  readonly #blocks = new Map<string, Block>();
  readonly #asking = new Map<string, Promise<void>>();

  /** @param now a clock in milliseconds */
  constructor(points: RatePoints, now: () => number) {
    this.#points = points;
    this.#now = now;
  }

  async spend(key: string, limit: number): Promise<Allowance> {
    for (;;) {
      const block = this.#live(key);
      // Of another limit: the plan has changed, and the shared count knows what that means.
      if (block?.limit === limit && (block.left > 0 || block.untaken === 0)) {
        const allowed = block.left > 0;
        if (allowed) block.left -= 1;
        const resetSeconds = Math.max(1, Math.ceil((block.until - this.#now()) / 1000));
        return { allowed, limit, remaining: block.left + block.untaken, resetSeconds };
      }
      const asked = this.#asking.get(key) ?? this.#ask(key, limit);
      await asked;
    }
  }

  #live(key: string): Block | undefined {
    const block = this.#blocks.get(key);
    if (block === undefined || this.#now() < block.until) return block;
    this.#blocks.delete(key);
    return undefined;
  }

  #ask(key: string, limit: number): Promise<void> {
    const asked = this.#fetch(key, limit).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asked);
    return asked;
  }

  async #fetch(key: string, limit: number): Promise<void> {
    const size = Math.max(1, Math.ceil(limit / BLOCKS_A_WINDOW));
    const { taken, msLeft } = await this.#points.take(key, size);
    // More may have been booked than there was: the part within the limit is ours.
    const left = Math.min(size, Math.max(0, limit - (taken - size)));
    // Put last, so that the blocks stand in the order in which they end, more or less.
    this.#blocks.delete(key);
    this.#makeRoom();
    this.#blocks.set(key, {
      limit,
      left,
      untaken: Math.max(0, limit - taken),
      until: this.#now() + Math.max(1, msLeft),
    });
  }

  #makeRoom(): void {
    // From the front, no further than needed: whoever comes from ever new addresses must not make every request a look
    // at all of them.
    for (const [key, { until }] of this.#blocks) {
      if (this.#blocks.size < MAX_KEYS && this.#now() < until) return;
      this.#blocks.delete(key);
    }
  }
}
