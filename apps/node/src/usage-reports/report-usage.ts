import { controlPlaneAt } from '@cer/control-plane';
import type { Secret } from '@cer/http-service/config';
import type { Logger } from '@cer/http-service/process';
import { startWorker, type Worker } from '../worker/worker.js';
import type { LeaseStore, UsageStore } from '../store/index.js';

export interface UsageReportDeps {
  readonly controlPlaneUrl: string;
  readonly token: Secret<string>;
  readonly usage: UsageStore;
  readonly leases: LeaseStore;
  readonly logger: Logger;
  readonly everyMs?: number;
  /** Time after which all records below the newest visible one are committed. */
  readonly settleMs?: number;
}

const EVERY_MS = 30_000;
/** Longer than the timeout of a statement. */
const SETTLE_MS = 45_000;
const TIMEOUT_MS = 10_000;

/**
 * Reports the number of certificates of each account to the control plane in the background. Each record counts once
 * despite failures, so that the quota and the dashboard count the same records.
 * @see docs/spec.md, "Control plane"
 */
export function startUsageReports(deps: UsageReportDeps): Worker {
  const { usage, leases, logger, everyMs = EVERY_MS, settleMs = SETTLE_MS } = deps;
  const ask = controlPlaneAt(deps.controlPlaneUrl, deps.token);
  let seen: { readonly newest: number; readonly at: number } | null = null;
  let settled = 0;

  const task = async (signal: AbortSignal): Promise<void> => {
    if (seen !== null && performance.now() - seen.at >= settleMs) {
      settled = seen.newest;
      seen = null;
    }
    seen ??= { newest: await usage.newest(), at: performance.now() };
    while (!signal.aborted) {
      const report = await usage.next(settled);
      if (report === null) return;
      const { reportId, items } = report;
      // After an interruption it is sent again with the same id.
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const answer = await ask('usage', { reportId, items }, inTime);
      await answer.body?.cancel();
      await usage.arrived(report);
    }
  };
  return startWorker({ name: 'usage-reports', everyMs, task, leases, logger });
}
