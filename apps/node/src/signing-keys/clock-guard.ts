import { SignerAwayError } from '../signing/key-holder.js';

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
