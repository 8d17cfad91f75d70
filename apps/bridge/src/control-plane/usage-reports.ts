import { randomUUID } from 'node:crypto';
import { MAX_USAGE_COUNT, MAX_USAGE_ITEMS } from '@cer/control-plane';
import { outageLog, type Logger, type OutageLog } from '@cer/http-service/process';
import type { ControlPlane, UsageItem } from './control-plane.js';

interface Report {
  readonly reportId: string;
  readonly items: readonly UsageItem[];
}

/**
 * Counts executions of one kind and reports them to the control plane at intervals. A report whose answer got lost is
 * repeated under its own id, so that it counts once.
 */
export class UsageReports {
  readonly #controlPlane: Pick<ControlPlane, 'reportUsage'>;
  readonly #outage: OutageLog;
  readonly #kind: UsageItem['kind'];
  readonly #counts = new Map<string, number>();
  #unanswered: Report | null = null;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(controlPlane: Pick<ControlPlane, 'reportUsage'>, logger: Logger, kind: UsageItem['kind']) {
    this.#controlPlane = controlPlane;
    this.#outage = outageLog(logger, {
      level: 'warn',
      failed: 'usage not reported yet',
      succeeded: 'usage is reported again',
    });
    this.#kind = kind;
  }

  add(tenantId: string, count: number): void {
    if (count > 0) this.#counts.set(tenantId, (this.#counts.get(tenantId) ?? 0) + count);
  }

  start(intervalMs: number): void {
    this.#timer = setInterval(() => void this.flush(), intervalMs);
    this.#timer.unref();
  }

  /** Sends pending reports. Never throws: unsent ones stay pending until the next call. */
  flush(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #send(): Promise<void> {
    for (;;) {
      const report = this.#unanswered ?? this.#nextReport();
      if (report === null) return;
      this.#unanswered = report;
      try {
        await this.#controlPlane.reportUsage(report.reportId, report.items);
      } catch (error) {
        this.#outage.failed(error);
        return;
      }
      this.#unanswered = null;
      this.#outage.succeeded();
    }
  }

  #nextReport(): Report | null {
    const counts = [...this.#counts].slice(0, MAX_USAGE_ITEMS);
    if (counts.length === 0) return null;
    const items = counts.map(([tenantId, total]) => {
      const count = Math.min(total, MAX_USAGE_COUNT);
      this.#counts.delete(tenantId);
      this.add(tenantId, total - count);
      return { tenantId, kind: this.#kind, count };
    });
    return { reportId: randomUUID(), items };
  }
}
