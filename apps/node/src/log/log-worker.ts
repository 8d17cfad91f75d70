import { outageLog, type Logger } from '@cer/http-service/process';
import { isAccepted, type RestoredStore } from '../restore-mark/restored-store.js';
import type { LeaseStore, LogStore } from '../store/index.js';
import { startWorker, type Worker } from '../worker/worker.js';
import { addDeletionLeaves } from './deletion-leaves.js';
import type { Epochs } from './epochs.js';
import type { OpenedLogs } from './opened-log.js';
import type { Publication } from './publication.js';
import type { Sequencer } from './sequencer.js';

export interface LogWorkerDeps {
  readonly store: { readonly log: LogStore; readonly leases: LeaseStore };
  readonly logs: OpenedLogs;
  readonly sequencer: Sequencer;
  readonly epochs: Epochs;
  readonly publication: Publication;
  readonly restored: RestoredStore;
  /** Pause between two turns. */
  readonly everyMs: number;
  /** Shortest time between two requests to witnesses; 0 without any. */
  readonly publishEveryMs: number;
  readonly logger: Logger;
}

/** Maximum delay of the log by a killed node. Every write has its own condition, so that a late holder does no harm. */
const LEASE_MS = 10_000;

/**
 * Integrates, commits to epochs and publishes, in the background, one node at a time. The lease saves work only: every
 * write has the old size as its condition.
 */
export function startLog(deps: LogWorkerDeps): Worker {
  const { store, logs, sequencer, epochs, publication, restored, everyMs, publishEveryMs, logger } = deps;
  let mayGoOn = false;
  let publishing: Promise<void> | null = null;
  /** Whether deletions wait for an epoch; without them, their accounts have no proof that nothing is missing. */
  let hasDeletions = false;
  let publishedAtMs = -Infinity;
  const outage = outageLog(logger, {
    level: 'error',
    failed: 'the log could not be published; the next time comes as planned',
    succeeded: 'publishing the log succeeds again',
  });

  const publishBoth = async (): Promise<void> => {
    await Promise.all([publication.publish(logs.receipts), publication.publish(logs.epochs)]);
  };

  /** Remote witnesses are slow, so no other step waits for them. */
  const publish = async (): Promise<void> => {
    if (publishEveryMs === 0) {
      await publishBoth();
      return;
    }
    if (publishing !== null || performance.now() - publishedAtMs < publishEveryMs) return;
    publishedAtMs = performance.now();
    publishing = publishBoth()
      .then(outage.succeeded, outage.failed)
      .finally(() => {
        publishing = null;
      });
  };

  const task = async (signal: AbortSignal): Promise<void> => {
    // Without witnesses nothing else keeps an older database from signing another history than its readers saw.
    if (!(await isAccepted(restored))) {
      mayGoOn = false;
      return;
    }
    if (!mayGoOn) {
      const [receipts, ofEpochs] = [await publication.mayGoOn(logs.receipts), await publication.mayGoOn(logs.epochs)];
      mayGoOn = receipts && ofEpochs;
      if (!mayGoOn) return;
    }
    if ((await addDeletionLeaves(store.log, logs.receipts.row.logId)) > 0) hasDeletions = true;
    for (let placed = -1; placed !== 0 && !signal.aborted;) placed = await sequencer.integrate();
    if (await epochs.endWhenDue(hasDeletions)) hasDeletions = false;
    await publish();
  };

  const worker = startWorker({ name: 'log', everyMs, leaseMs: LEASE_MS, task, leases: store.leases, logger });
  return {
    wake: () => {
      worker.wake();
    },
    stop: async () => {
      await worker.stop();
      await publishing;
    },
  };
}
