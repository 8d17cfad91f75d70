import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@cer/http-service/process';
import { ConfinementError } from './browser/browser-host.js';
import { JailUnavailable } from './browser/jail.js';
import { BrowserNotFound } from './browser/resolve.js';
import { SelfTestFailure } from './sandbox/self-test.js';

/** Something that is started until it runs. */
export interface KeptStarting<Started> {
  /** What runs, or why nothing does yet. */
  readonly current: () => Started | string;
  /** Ends the attempts and what runs. */
  readonly close: () => Promise<void>;
}

export interface KeepStartingOptions {
  readonly logger: Logger;
  /** The pause between two attempts; it ends early when the signal aborts. */
  readonly pause?: (signal: AbortSignal) => Promise<unknown>;
}

const PAUSE_MS = 10_000;

/** Refusals that another attempt on this machine repeats. A browser that does not start in time may start later. */
const FINAL = [BrowserNotFound, JailUnavailable, ConfinementError, SelfTestFailure];

/**
 * Starts something; after an error that may pass it is started again, in the background.
 * @returns after the first attempt
 */
export async function keepStarting<Started extends { close(): Promise<void> }>(
  start: () => Promise<Started>,
  { logger, pause = (signal) => sleep(PAUSE_MS, undefined, { signal, ref: false }) }: KeepStartingOptions,
): Promise<KeptStarting<Started>> {
  const closing = new AbortController();
  let current: Started | string = 'not started';

  /** @returns whether another attempt may succeed */
  const attempt = async (): Promise<boolean> => {
    try {
      current = await start();
      return false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'the renderer cannot be started';
      const mayPass = !FINAL.some((kind) => error instanceof kind);
      logger.error({ reason, isFinal: !mayPass }, 'renders are refused');
      current = reason;
      return mayPass;
    }
  };
  const mayPass = await attempt();
  const attempts = async (): Promise<void> => {
    for (let isWanted = mayPass; isWanted; isWanted = await attempt()) {
      // Rejects only when interrupted.
      await pause(closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
    }
  };
  const ended = attempts();
  return {
    current: () => current,
    async close() {
      closing.abort();
      await ended;
      if (typeof current !== 'string') await current.close();
    },
  };
}
