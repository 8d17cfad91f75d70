import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@cer/http-service/process';
import type { Store } from '../store/index.js';
import { startWorker, type Worker } from '../worker/worker.js';
import { executionFacts, parseStored } from './stored-cer.js';

export interface DescribingDeps {
  readonly store: Pick<Store, 'recordFacts' | 'leases'>;
  readonly logger: Logger;
  /** Pause between two runs; nodes of an earlier release may add rows while a fleet is upgraded. */
  readonly everyMs?: number;
}

/** Describes rows of earlier releases in the background, in small steps with pauses, by one node at a time. */
export function startDescribing({ store, logger, everyMs = 60_000 }: DescribingDeps): Worker {
  const task = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const found = await store.recordFacts.undescribed();
      if (found.length === 0) return;
      await store.recordFacts.describe(found.map(({ seq, json }) => ({ seq, ...executionFacts(parseStored(json)) })));
      // Nothing waits for it: other work goes between any two steps.
      await sleep(performance.now() - startedAt);
    }
  };
  return startWorker({ name: 'record-facts', everyMs, task, leases: store.leases, logger });
}
