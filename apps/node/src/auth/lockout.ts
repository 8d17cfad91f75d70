import { networkOf } from '@cer/http-service';

export interface LockoutTimes {
  /** Failures within the window that lock an address out. */
  readonly failures: number;
  readonly windowMs: number;
  readonly lockedMs: number;
}

export interface Lockout {
  /** Whole seconds until the address may try again; 0 when it may. */
  secondsLeft(address: string): number;
  noteFailure(address: string): void;
  forget(address: string): void;
}

/** Maximum addresses stored. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  readonly since: number;
  lockedUntil: number;
}

/**
 * Counts failures per address, in bounded memory. An IPv6 client controls a whole /64, so a /64 counts as one address.
 * @param nowMs a clock in milliseconds
 */
export function createLockout({ failures, windowMs, lockedMs }: LockoutTimes, nowMs: () => number): Lockout {
  const known = new Map<string, Failures>();

  const live = (address: string): Failures | undefined => {
    const found = known.get(address);
    if (found === undefined) return undefined;
    const now = nowMs();
    if (now < found.lockedUntil || (found.lockedUntil === 0 && now - found.since < windowMs)) return found;
    known.delete(address);
    return undefined;
  };

  return {
    secondsLeft: (address) => {
      const left = (live(networkOf(address))?.lockedUntil ?? 0) - nowMs();
      return left > 0 ? Math.ceil(left / 1000) : 0;
    },
    noteFailure: (address) => {
      const network = networkOf(address);
      const found = live(network) ?? { count: 0, since: nowMs(), lockedUntil: 0 };
      found.count += 1;
      if (found.count >= failures) found.lockedUntil = nowMs() + lockedMs;
      // Evicts the address with the oldest failure.
      known.delete(network);
      const oldest = known.keys().next();
      if (known.size >= MAX_ADDRESSES && oldest.done !== true) known.delete(oldest.value);
      known.set(network, found);
    },
    forget: (address) => {
      known.delete(networkOf(address));
    },
  };
}
