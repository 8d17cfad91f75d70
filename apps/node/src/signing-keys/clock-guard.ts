import { SignerAwayError } from '../signing/key-holder.js';
import type { SigningState } from '../store/index.js';

/** Maximum clock difference between nodes of one database, in milliseconds. */
const ALLOWED_LAG_MS = 5_000;

/**
 * Rejects a time more than 5 s behind the newest known one: a signature with it would appear older than earlier ones.
 * @param time the time to sign, milliseconds since 1970
 * @param newest of all records and key events, milliseconds since 1970
 * @throws SignerAwayError
 * @see docs/spec.md, "Signing keys"
 */
export function assertClockIsNotBehind(time: number, newest: number): void {
  const lag = newest - time;
  if (lag <= ALLOWED_LAG_MS) return;
  throw new SignerAwayError(
    `the clock is ${Math.ceil(lag / 1000)} s behind the newest record or key event, and 5 s are allowed: set it right`,
  );
}

/** A time beside the database's clock. */
export interface TimeToSign {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The database's clock at that moment. */
  readonly databaseMs: number;
  readonly instanceId: string;
  /** Silence after which another node counts as ended, in milliseconds. */
  readonly liveMs: number;
}

/** Whether a time is so far ahead of the database's clock that other nodes would refuse to sign after it. */
export function isAhead({ time, databaseMs }: Pick<TimeToSign, 'time' | 'databaseMs'>): boolean {
  return time - databaseMs > ALLOWED_LAG_MS;
}

/**
 * Rejects a time more than 5 s ahead of the database's clock unless most other nodes have the same time: they would
 * refuse to sign until real time has caught up. Where most have it, the database's clock is the wrong one.
 * @throws SignerAwayError
 * @see docs/decisions/0046-a-clock-that-is-ahead-is-outvoted.md
 */
export function assertClockIsNotAhead(at: TimeToSign, state: SigningState): void {
  if (!isAhead(at)) return;
  const others = state.nodes.filter(
    ({ instanceId, seenMs }) => instanceId !== at.instanceId && seenMs > state.databaseMs - at.liveMs,
  );
  const agreeing = others.filter(({ seenMs }) => at.time - seenMs <= ALLOWED_LAG_MS);
  if (others.length === 0 || agreeing.length * 2 > others.length) return;
  const lead = Math.ceil((at.time - at.databaseMs) / 1000);
  throw new SignerAwayError(`the clock is ${lead} s ahead of the database and of other nodes: set it right`);
}
