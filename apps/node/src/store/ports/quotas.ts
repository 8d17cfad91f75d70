/** An allocation from a monthly quota. */
export interface QuotaTaken {
  /** From 0 (quota exhausted) to the requested number. */
  readonly taken: number;
  /** Allocated in the month so far, including unused allocations of nodes. */
  readonly used: number;
}

/** Executions of each tenant per month, shared by all nodes. */
export interface QuotaStore {
  /**
   * Allocates up to `wanted` of the remaining executions, never more than `limit` in total.
   * @param month `2026-01`, in UTC
   */
  take(tenantId: string, month: string, wanted: number, limit: number): Promise<QuotaTaken>;
  /** @throws StoreError STORE_UNAVAILABLE when they may have been returned */
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}
