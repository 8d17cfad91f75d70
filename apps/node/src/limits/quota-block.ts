import { wroteNothing, type QuotaStore } from '../store/index.js';

/** Maximum size of a block, and its maximum share of the remaining quota. */
const LARGEST_BLOCK = 500;
const SHARE_IN_HAND = 100;
/** Cache lifetime of "quota exhausted", in ms: other nodes may return unused executions. */
const BELIEF_MS = 1000;

/** Executions of a tenant in one month, unused allocations of nodes included. */
export interface QuotaUse {
  readonly tenantId: string;
  /** `2026-01`, in UTC. */
  readonly month: string;
  readonly used: number;
  readonly limit: number;
}

/**
 * One node's share of a tenant's quota for one month. Executions are fetched in blocks that shrink near the limit, so
 * that few requests wait for the database and together the nodes never exceed it.
 */
export class QuotaBlock {
  readonly tenantId: string;
  readonly month: string;
  readonly limit: number;
  readonly #quotas: QuotaStore;
  #left = 0;
  #blockSize = 1;
  #waiting = 0;
  #refill: Promise<void> | null = null;
  #emptyUntil = 0;
  #takes = 0;
  #takesSeen = -1;

  readonly #noteUse: (use: QuotaUse) => void;

  constructor(
    quotas: QuotaStore,
    tenantId: string,
    month: string,
    limit: number,
    noteUse: (use: QuotaUse) => void = () => undefined,
  ) {
    this.#noteUse = noteUse;
    this.#quotas = quotas;
    this.tenantId = tenantId;
    this.month = month;
    this.limit = limit;
  }

  /** @returns false when the month's quota is used up */
  async take(): Promise<boolean> {
    this.#takes += 1;
    while (this.#left === 0) {
      if (performance.now() < this.#emptyUntil) return false;
      this.#waiting += 1;
      try {
        await (this.#refill ??= this.#fetch());
      } finally {
        this.#waiting -= 1;
      }
    }
    this.#left -= 1;
    return true;
  }

  putBack(): void {
    this.#left += 1;
  }

  /** Returns unused executions if none was taken since the last call. @returns whether the block may be dropped */
  async giveBackWhenIdle(): Promise<boolean> {
    const takes = this.#takes;
    if (takes !== this.#takesSeen) {
      this.#takesSeen = takes;
      return false;
    }
    await this.giveBack();
    // A caller may have arrived concurrently.
    return this.#takes === takes;
  }

  /** Loses executions that may have been returned: another node may use them. */
  async giveBack(): Promise<void> {
    const count = this.#left;
    this.#left = 0;
    try {
      await this.#quotas.giveBack(this.tenantId, this.month, count);
    } catch (error) {
      if (wroteNothing(error)) this.#left += count;
      throw error;
    }
  }

  async #fetch(): Promise<void> {
    try {
      const wanted = Math.max(this.#blockSize, this.#waiting);
      const { taken, used } = await this.#quotas.take(this.tenantId, this.month, wanted, this.limit);
      this.#left += taken;
      this.#noteUse({ tenantId: this.tenantId, month: this.month, used, limit: this.limit });
      this.#blockSize = Math.min(LARGEST_BLOCK, Math.max(1, Math.floor((this.limit - used) / SHARE_IN_HAND)));
      this.#emptyUntil = taken === 0 ? performance.now() + BELIEF_MS : 0;
    } finally {
      this.#refill = null;
    }
  }
}
