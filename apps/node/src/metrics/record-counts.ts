import { setTimeout as sleep } from 'node:timers/promises';
import { outageLog, repeat, type Logger } from '@cer/http-service/process';
import type { Signing } from '../signing/signing.js';
import type { Counted, Store } from '../store/index.js';
import type { NodeMetrics } from './node-metrics.js';

export interface RecordCountDeps {
  readonly store: Pick<Store, 'recordCounts' | 'usage'>;
  readonly signing: Pick<Signing, 'prove'>;
  readonly metrics: NodeMetrics;
  /** Whether timestamps are configured, so that records wait for them. */
  readonly asksAuthorities: boolean;
  readonly now: () => Date;
  readonly logger: Logger;
  readonly everyMs?: number;
}

const EVERY_MS = 30_000;
/** Pause between two ranges, so that other work gets the database. */
const PAUSE_MS = 10;

/**
 * Counts in the background what is too costly per scrape: all records once, then the new ones; withdrawn records and
 * those waiting for a token each time, through partial indexes. Also checks the signer.
 */
export function startRecordCounts(deps: RecordCountDeps): { readonly stop: () => Promise<void> } {
  const { store, signing, metrics, asksAuthorities, now, logger, everyMs = EVERY_MS } = deps;
  // Counts only below a safe limit, because an earlier transaction may commit later.
  let settled: number | null = null;
  let counted = 0;
  let countedUpTo = 0;
  const outage = outageLog(logger, {
    level: 'warn',
    failed: 'records could not be counted; the next look comes as planned',
    succeeded: 'records are counted again',
  });

  const count = async (what: Counted, from: number, upTo: number, signal: AbortSignal): Promise<number> => {
    let sum = 0;
    for (let after: number | null = from; after !== null && !signal.aborted;) {
      const { count: some, end }: { readonly count: number; readonly end: number | null } =
        await store.recordCounts.range(what, after, upTo);
      sum += some;
      after = end;
      if (end !== null) await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
    return sum;
  };

  const look = async (signal: AbortSignal): Promise<void> => {
    const proven = await signing.prove(now()).then(
      () => 1,
      () => 0,
    );
    metrics.signer.set(proven);
    const newest = await store.usage.newest();
    const upTo = settled ?? newest;
    const fresh = await count('all', countedUpTo, upTo, signal);
    const hidden = await count('hidden', 0, upTo, signal);
    const deleted = await count('deleted', 0, upTo, signal);
    const untimestamped = asksAuthorities ? await count('untimestamped', 0, upTo, signal) : 0;
    // An interrupted count is discarded.
    if (signal.aborted) return;
    counted += fresh;
    countedUpTo = Math.max(countedUpTo, upTo);
    settled = newest;
    metrics.records.set({ state: 'visible' }, Math.max(0, counted - hidden - deleted));
    metrics.records.set({ state: 'hidden' }, hidden);
    metrics.records.set({ state: 'deleted' }, deleted);
    metrics.untimestamped.set(untimestamped);
    outage.succeeded();
  };

  return repeat({ everyMs, task: look, onFailure: outage.failed });
}
