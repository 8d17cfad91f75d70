import type { UsageKind } from '@cer/control-plane';

export interface UsageItem {
  readonly tenantId: string;
  readonly kind: UsageKind;
  readonly count: number;
}

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly kind: UsageKind;
  readonly count: number;
}

export interface UsageStore {
  /**
   * Adds a report to today's counts, once, however often it arrives. Items of unknown tenants are left out.
   * @returns how many items were counted; null when the report was counted before
   */
  record(reportId: string, items: readonly UsageItem[]): Promise<number | null>;
  /** From `firstDay` on, newest day first. */
  list(tenantId: string, firstDay: string): Promise<readonly UsageDay[]>;
}
