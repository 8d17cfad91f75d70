export interface SessionTimes {
  /** Maximum time of a session without a request, in ms. */
  readonly idleMs: number;
  /** Maximum age of a session, in ms. */
  readonly absoluteMs: number;
}

/** The last use is written at most this many times per idle time, so that a session in use never expires. */
const TOUCHES_PER_IDLE_TIME = 10;
/** Maximum difference between clocks of instances, in ms. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Whether a session started while the clock was ahead: it would live until then. */
export function isFromTheFuture(startedAt: string, now: number): boolean {
  return Date.parse(startedAt) - now > CLOCK_SKEW_MS;
}

/** Whether the last use of a session is to be written again. */
export function isTouchDue(lastSeenAt: string, now: number, { idleMs }: Pick<SessionTimes, 'idleMs'>): boolean {
  return Math.abs(now - Date.parse(lastSeenAt)) > idleMs / TOUCHES_PER_IDLE_TIME;
}
