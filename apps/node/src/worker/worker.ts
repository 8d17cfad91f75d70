import { randomUUID } from 'node:crypto';
import { outageLog, repeat, type Logger, type Repeating } from '@cer/http-service/process';
import type { LeaseStore } from '../store/index.js';

/** Long enough for a busy machine: a turn whose lease another process takes over ends early. */
const LEASE_MS = 60_000;

export interface WorkerOptions {
  /** Lease name: of all workers with this name, on all nodes of the database, one runs at a time. */
  readonly name: string;
  /** Pause between two runs. */
  readonly everyMs: number;
  /** How long the lease of a killed process keeps the others away; renewed at every third of it. */
  readonly leaseMs?: number;
  /** One run, in small steps: it should end soon after the signal aborts. Errors are logged once. */
  readonly task: (signal: AbortSignal) => Promise<void>;
  readonly leases: LeaseStore;
  readonly logger: Logger;
}

export type Worker = Repeating;

/** Starts a background worker: one run now, then one every `everyMs`, while no other process has the lease. */
export function startWorker({ name, everyMs, leaseMs = LEASE_MS, task, leases, logger }: WorkerOptions): Worker {
  const holder = randomUUID();
  const outage = outageLog(logger, {
    level: 'error',
    failed: 'background turns fail; each is tried as planned',
    succeeded: 'background turns succeed again',
    worker: name,
  });

  async function turn(signal: AbortSignal): Promise<void> {
    if (!(await leases.acquire(name, holder, leaseMs))) return;
    // A run that loses its lease (database unreachable, process suspended) ends, because another node may have it.
    const turnEnds = new AbortController();
    const renewal = setInterval(() => {
      leases.acquire(name, holder, leaseMs).then(
        (held) => {
          if (!held) turnEnds.abort();
        },
        () => {
          turnEnds.abort();
        },
      );
    }, leaseMs / 3);
    try {
      await task(AbortSignal.any([signal, turnEnds.signal]));
    } finally {
      clearInterval(renewal);
      await leases.release(name, holder);
    }
    outage.succeeded();
  }

  return repeat({ everyMs, task: turn, onFailure: outage.failed });
}
