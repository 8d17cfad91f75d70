import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@cer/http-service/process';
import { StoreError, type Store } from '../store/index.js';
import { startWorker, type Worker } from '../worker/worker.js';
import { readClientReport } from './client-report.js';

export type CountingStore = Pick<Store, 'coverage' | 'recordList'>;

export interface CountCertificatesDeps {
  readonly store: CountingStore & Pick<Store, 'leases'>;
  readonly logger: Logger;
  readonly everyMs?: number;
}

/** Ranges that a reader counts before it reads. */
const RANGES_AT_ONCE = 10;

/** Counts new certificates in the background, in small steps with pauses, by one node at a time. */
export function startCountingCertificates({ store, logger, everyMs = 10_000 }: CountCertificatesDeps): Worker {
  const task = async (signal: AbortSignal): Promise<void> => {
    // Rows of earlier releases do not show which of them are reports of producers.
    if (await store.recordList.isUndescribed()) return;
    const { lastSeq } = await store.recordList.snapshot();
    while (!signal.aborted) {
      const startedAt = performance.now();
      if (!(await countRange(store, lastSeq))) return;
      await sleep(performance.now() - startedAt);
    }
  };
  return startWorker({ name: 'coverage', everyMs, task, leases: store.leases, logger });
}

/**
 * Counts the newest certificates, some thousand at most.
 * @returns whether every certificate is counted that existed before the call
 */
export async function countNewest(store: CountingStore): Promise<boolean> {
  try {
    if (await store.recordList.isUndescribed()) return false;
    const { lastSeq } = await store.recordList.snapshot();
    for (let range = 0; range < RANGES_AT_ONCE; range += 1) if (!(await countRange(store, lastSeq))) return true;
    return false;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_CONTENDED') return false;
    throw error;
  }
}

/** @returns false when nothing was left to count */
async function countRange({ coverage }: CountingStore, lastSeq: number): Promise<boolean> {
  const range = await coverage.uncounted(lastSeq);
  if (range === null) return false;
  const reports = range.reports.map(readClientReport).filter((report) => report !== null);
  await coverage.addRange(range, reports);
  return true;
}
