import type { Logger } from '@cer/http-service/process';
import { askAuthority, type AskedAuthority, type CheckedToken } from './ask-authority.js';

/** A timestamping authority, which may be unreachable, slow or hostile. */
export interface Authority {
  /** False during the pause after a failure. */
  isReady(): boolean;
  /** @param imprint SHA-256, 32 bytes @returns null without a valid token; never throws */
  timestamp(imprint: Uint8Array, signal: AbortSignal): Promise<CheckedToken | null>;
}

export interface AuthorityOptions extends AskedAuthority {
  /** Pause after the first failure; doubled after each further one, up to five minutes. */
  readonly firstPauseMs?: number;
  /** Monotonic clock in milliseconds: with a settable clock a jump back could pause the authority for years. */
  readonly elapsedMs?: () => number;
  readonly logger: Logger;
}

const LONGEST_PAUSE_MS = 300_000;

/** @see docs/spec.md, "External timestamps" */
export function createAuthority(options: AuthorityOptions): Authority {
  const { url, firstPauseMs = 1000, elapsedMs = () => performance.now() } = options;
  const logger = options.logger.child({ authority: new URL(url).host });
  let failures = 0;
  let readyAt = 0;
  const isReady = (): boolean => elapsedMs() >= readyAt;

  function noteFailure(error: unknown): void {
    // Concurrent requests that fail together count as one failure.
    if (!isReady()) return;
    readyAt = elapsedMs() + Math.min(firstPauseMs * 2 ** failures, LONGEST_PAUSE_MS);
    failures += 1;
    // Logged once per outage, because requests are repeated.
    if (failures > 1) return;
    const reason = error instanceof Error ? error.message : 'unknown';
    logger.warn({ reason }, 'the timestamping authority gave no token; the request is repeated');
  }

  return {
    isReady,
    timestamp: async (imprint, signal) => {
      try {
        const token = await askAuthority(imprint, options, signal);
        if (failures > 0) logger.info('the timestamping authority answers again');
        failures = 0;
        readyAt = 0;
        return token;
      } catch (error) {
        // The node stops or another one took over: not a failure of the authority.
        if (!signal.aborted) noteFailure(error);
        return null;
      }
    },
  };
}
