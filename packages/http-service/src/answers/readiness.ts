import { json, ok, type Handler } from '../handler/handler.js';

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

/** Answers 200 when every check passes, and 503 with the reasons of those that do not, in the order of the checks. */
export function readinessHandler(checks: readonly ReadinessCheck[]): Handler {
  return async () => {
    const failed = await Promise.all(
      checks.map(([reason, check]) =>
        check().then(
          () => [],
          () => [reason],
        ),
      ),
    );
    const reasons = failed.flat();
    return reasons.length === 0 ? ok({ status: 'ready' }) : json(503, { status: 'not ready', reasons });
  };
}
