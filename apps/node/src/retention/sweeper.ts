import type { Logger } from '@cer/http-service/process';
import { startWorker, type Worker } from '../worker/worker.js';
import type { Store } from '../store/index.js';
import { sweep, type SweepDeps } from './sweep.js';

export interface SweeperDeps extends SweepDeps {
  readonly store: SweepDeps['store'] & Pick<Store, 'leases' | 'signingKeys'>;
  /** Pause between two sweeps. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/** A process silent for this long has ended without unregistering. */
const SILENT_MS = 86_400_000;

/**
 * Sweeps in the background, one node at a time, and removes entries of ended processes.
 * @see docs/spec.md, "Retention"
 */
export function startSweeper(deps: SweeperDeps): Worker {
  const { store, now, everyMs, logger } = deps;
  const task = async (signal: AbortSignal): Promise<void> => {
    await store.signingKeys.forgetSilent(now().getTime() - SILENT_MS);
    const deleted = await sweep(deps, signal);
    if (deleted > 0) logger.info({ deleted }, 'retention deleted records');
  };
  return startWorker({ name: 'retention', everyMs, task, leases: store.leases, logger });
}
