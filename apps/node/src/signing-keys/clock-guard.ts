import { SignerAwayError } from '../signing/key-holder.js';

/** So far may the clocks of nodes that share a database lie apart, in milliseconds. */
const ALLOWED_LAG_MS = 5_000;

/**
 * Refuses a time that is more than 5 s behind the newest one the nodes know of: what was signed under it could be
 * passed off as older than what came before it.
 * @param time the time to be signed, milliseconds since 1970
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
