export interface UsageCount {
  readonly tenantId: string;
  readonly kind: 'certify' | 'render';
  readonly count: number;
}

/** Numbers of created certificates by account. A `reportId` always refers to the same records. */
export interface UsageReport {
  readonly reportId: string;
  /** At least one. */
  readonly items: readonly UsageCount[];
  /** The `seq` of the last record in it. */
  readonly upTo: number;
}

/** Usage reports to the control plane: each new record is in exactly one report. */
export interface UsageStore {
  /** The `seq` of the newest record. A record below it may still be uncommitted, for the duration of a commit. */
  newest(): Promise<number>;
  /** The report to send now: the pending one, otherwise the next with records up to `settled`; null for none. */
  next(settled: number): Promise<UsageReport | null>;
  /** Marks the report as delivered. */
  arrived(report: UsageReport): Promise<void>;
}
