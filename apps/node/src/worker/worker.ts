import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@cer/http-service/process';
import type { LeaseStore } from '../store/index.js';

const LEASE_MS = 60_000;

export interface WorkerOptions {
  /** Lease name: of all workers with this name, on all nodes of the database, one runs at a time. */
  readonly name: string;
  /** Pause between two runs. */
  readonly everyMs: number;
  /** One run, in small steps: it should end soon after the signal aborts. Errors are logged. */
  readonly task: (signal: AbortSignal) => Promise<void>;
  readonly leases: LeaseStore;
  readonly logger: Logger;
}

export interface Worker {
  /** Starts the next run at once, or directly after the current one. */
  wake(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Starts a background worker: one run now, then one every `everyMs`, while no other process has the lease. */
export function startWorker({ name, everyMs, task, leases, logger }: WorkerOptions): Worker {
  const holder = randomUUID();
  const stopping = new AbortController();
  let pause = new AbortController();

  async function turn(): Promise<void> {
    if (!(await leases.acquire(name, holder, LEASE_MS))) return;
    // A run that loses its lease (database unreachable, process suspended) ends, because another node may have it.
    const turnEnds = new AbortController();
    const renewal = setInterval(() => {
      leases.acquire(name, holder, LEASE_MS).then(
        (held) => {
          if (!held) turnEnds.abort();
        },
        () => {
          turnEnds.abort();
        },
      );
    }, LEASE_MS / 3);
    try {
      await task(AbortSignal.any([stopping.signal, turnEnds.signal]));
    } finally {
      clearInterval(renewal);
      await leases.release(name, holder);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Created before the run, so that a wake during the run shortens the following pause.
      pause = new AbortController();
      try {
        await turn();
      } catch (error) {
        logger.error({ err: error, worker: name }, 'a background turn failed; the next one comes as planned');
      }
      const signal = AbortSignal.any([stopping.signal, pause.signal]);
      // Rejects only when interrupted.
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    wake: () => {
      pause.abort();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
