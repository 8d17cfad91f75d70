import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@cer/http-service';
import type { LeaseStore } from '../store/index.js';

const LEASE_MS = 60_000;

export interface WorkerOptions {
  /** Of all workers of this name, on all nodes of the database, one works at a time. */
  readonly name: string;
  /** The pause between two turns. */
  readonly everyMs: number;
  /** One turn, in small steps: it should end soon after the signal aborts. What it throws is logged. */
  readonly task: (signal: AbortSignal) => Promise<void>;
  readonly leases: LeaseStore;
  readonly logger: Logger;
}

export interface Worker {
  /** Takes the next turn at once, or right after the present one. */
  wake(): void;
  /** Resolves when the present turn has ended. */
  stop(): Promise<void>;
}

/** Starts a worker in the background: a turn now, then one every `everyMs`, as long as no other process has the lease. */
export function startWorker({ name, everyMs, task, leases, logger }: WorkerOptions): Worker {
  const holder = randomUUID();
  const stopping = new AbortController();
  let pause = new AbortController();

  async function turn(): Promise<void> {
    if (!(await leases.acquire(name, holder, LEASE_MS))) return;
    // A turn that loses its lease (the database was away, the process stood still) ends: another node has it now.
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
      // Made before the turn: a wake that comes meanwhile cuts the pause after it short.
      pause = new AbortController();
      try {
        await turn();
      } catch (error) {
        logger.error({ err: error, worker: name }, 'a background turn failed; the next one comes as planned');
      }
      const signal = AbortSignal.any([stopping.signal, pause.signal]);
      // Rejects only when it is cut short.
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
