import { json, ok, type Handler } from '../handler/handler.js';
import { settleWithin } from '../limits/settle-within.js';
import { sharedWhileRunning } from '../limits/shared-while-running.js';

/** A reason for not being ready, and the check that rejects when it applies. */
export type ReadinessCheck = readonly [reason: string, check: () => Promise<unknown>];

/** The checks of a service's own database. */
export function databaseChecks(
  store: Readonly<Record<'ping' | 'proveWritable', () => Promise<unknown>>>,
): readonly ReadinessCheck[] {
  return [
    ['the database does not answer', () => store.ping()],
    ['the database cannot be written: its disk may be full or read-only', () => store.proveWritable()],
  ];
}

/** Maximum duration of a check, in ms: probes give up after 3 s, and would not show the reasons. */
export const READY_WITHIN_MS = 2500;

/**
 * Answers 200 when every check passes, and 503 with the reasons of those that do not or take too long, in the order of
 * the checks. Concurrent requests share a check: the route is public, and a check takes a connection of the database.
 */
export function readinessHandler(checks: readonly ReadinessCheck[], withinMs = READY_WITHIN_MS): Handler {
  const shared = checks.map(([reason, check]) => [reason, sharedWhileRunning(check)] as const);
  return async () => {
    const failed = await Promise.all(
      shared.map(([reason, check]) =>
        settleWithin(check(), withinMs, () => new Error('the check takes too long')).then(
          () => [],
          () => [reason],
        ),
      ),
    );
    const reasons = failed.flat();
    return reasons.length === 0 ? ok({ status: 'ready' }) : json(503, { status: 'not ready', reasons });
  };
}
