import type { RatePoints } from '../store/index.js';

/** State of a limit after a request was counted. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** Minimum number of remaining requests in this window; other nodes may use them too. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** Block size as a share of the limit, so that few requests wait for the database. */
const BLOCKS_A_WINDOW = 50;
/** Maximum keys with a block in memory; beyond it the oldest is evicted. */
const MAX_KEYS = 50_000;

interface Block {
  readonly limit: number;
  /** Unspent points of the block. */
  left: number;
  /** Unallocated points at the last read of the shared count. */
  untaken: number;
  readonly until: number;
}

/**
 * Spends one point per request, mostly in memory, from a block that was fetched from the shared count: together the
 * nodes never exceed the limit, and a node withholds at most one block from the others.
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
      // Fetched under another limit: the plan has changed, and the shared count decides.
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
    // The block may exceed the remaining points: only the part within the limit is usable.
    const left = Math.min(size, Math.max(0, limit - (taken - size)));
    // Inserted last, so that blocks are approximately ordered by their end.
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
    // From the front and no further than needed: a client with many addresses must not make every request scan all
    // blocks.
    for (const [key, { until }] of this.#blocks) {
      if (this.#blocks.size < MAX_KEYS && this.#now() < until) return;
      this.#blocks.delete(key);
    }
  }
}
