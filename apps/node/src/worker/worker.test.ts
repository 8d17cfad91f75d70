import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import { recordedLog } from '@cer/http-service/testing';

import type { LeaseStore } from '../store/index.js';
import { startWorker } from './worker.js';

/** Leases of one process with the database's rules; they never expire. */
function leasesInMemory(): LeaseStore & { readonly held: Map<string, string> } {
  const held = new Map<string, string>();
  return {
    held,
    acquire: async (name, holder) => {
      if (!held.has(name)) held.set(name, holder);
      return held.get(name) === holder;
    },
    release: async (name, holder) => {
      if (held.get(name) === holder) held.delete(name);
    },
  };
}

const NEVER_MS = 60 * 60_000;

describe('a background worker', () => {
  it('runs at start and on wake and releases its lease', async () => {
    const leases = leasesInMemory();
    let turns = 0;
    let turnIsOver: () => void = () => undefined;
    const oneTurn = (): Promise<void> => new Promise((resolve) => (turnIsOver = resolve));
    const task = async (): Promise<void> => {
      expect(leases.held.has('sweep')).toBe(true);
      turns += 1;
      turnIsOver();
    };
    const first = oneTurn();
    const worker = startWorker({ name: 'sweep', everyMs: NEVER_MS, task, leases, logger: silentLogger() });
    await first;
    const second = oneTurn();
    worker.wake();
    await second;
    await worker.stop();
    expect(turns).toBe(2);
    expect(leases.held.size).toBe(0);
  });

  it('does not run without the lease', async () => {
    const leases = leasesInMemory();
    await leases.acquire('sweep', 'another node', 1);
    let turns = 0;
    const task = async (): Promise<void> => {
      turns += 1;
    };
    const worker = startWorker({ name: 'sweep', everyMs: NEVER_MS, task, leases, logger: silentLogger() });
    worker.wake();
    await worker.stop();
    expect(turns).toBe(0);
  });

  it('continues after a failure and aborts on stop', async () => {
    const leases = leasesInMemory();
    let turns = 0;
    let started: () => void = () => undefined;
    const lastTurn = new Promise<void>((resolve) => (started = resolve));
    const task = async (signal: AbortSignal): Promise<void> => {
      turns += 1;
      if (turns === 1) throw new Error('the first turn fails');
      started();
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
    };
    const worker = startWorker({ name: 'sweep', everyMs: 1, task, leases, logger: silentLogger() });
    await lastTurn;
    await worker.stop();
    expect(turns).toBe(2);
  });

  it('logs when turns begin to fail and when they succeed again', async () => {
    const leases = leasesInMemory();
    const { logger, lines } = recordedLog();
    let turns = 0;
    let fifth: () => void = () => undefined;
    const atFifth = new Promise<void>((resolve) => (fifth = resolve));
    const task = async (): Promise<void> => {
      turns += 1;
      if (turns <= 3) throw new Error('the disk is full');
      if (turns === 5) fifth();
    };
    const worker = startWorker({ name: 'sweep', everyMs: 1, task, leases, logger });
    await atFifth;
    await worker.stop();
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: 'error', worker: 'sweep', msg: 'background turns fail; each is tried as planned' },
      { level: 'info', worker: 'sweep', msg: 'background turns succeed again' },
    ]);
  });
});
