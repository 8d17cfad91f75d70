export interface UsageCount {
  readonly tenantId: string;
  readonly kind: 'certify' | 'render';
  readonly count: number;
}

/** Certificates that were made, by account. The same `reportId` always stands for the same records. */
export interface UsageReport {
  readonly reportId: string;
  /** At least one. */
  readonly items: readonly UsageCount[];
  /** The `seq` of the last record in it. */
  readonly upTo: number;
}

/** What the control plane is told of new records, each in exactly one report. */
export interface UsageStore {
  /** The `seq` of the newest record. One below it may still be under way, for as long as a commit takes. */
  newest(): Promise<number>;
  /** The report to send now: the one that was begun, or else the next with records up to `settled`; null for none. */
  next(settled: number): Promise<UsageReport | null>;
  /** The report arrived. */
  arrived(report: UsageReport): Promise<void>;
}
