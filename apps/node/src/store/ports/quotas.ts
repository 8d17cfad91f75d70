/** What was taken of a monthly quota. */
export interface QuotaTaken {
  /** From 0, when nothing is left, to what was wanted. */
  readonly taken: number;
  /** Of the whole month by now, what nodes hold in hand included. */
  readonly used: number;
}

/** How many executions each tenant has made in a month. Nodes count together. */
export interface QuotaStore {
  /**
   * Takes up to `wanted` executions, as many as are left; never more than `limit` in all.
   * @param month `2026-01`, in UTC
   */
  take(tenantId: string, month: string, wanted: number, limit: number): Promise<QuotaTaken>;
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}
