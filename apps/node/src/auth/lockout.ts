import { networkOf } from '@cer/http-service';

/** Wrong secrets of addresses: counted by this process, or over all workers of a node. */
export interface Lockout {
  /** @returns whole seconds until the address may try again; 0: it was not locked out, and the failure is counted */
  noteFailure(address: string): Promise<number>;
  forget(address: string): void;
}

/** Failures within the window that lock an address out. */
const FAILURES = 5;
const WINDOW_MS = 15 * 60_000;
const LOCKED_MS = 15 * 60_000;
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
export function createLockout(nowMs: () => number): Lockout {
  const known = new Map<string, Failures>();

  const live = (address: string): Failures | undefined => {
    const found = known.get(address);
    if (found === undefined) return undefined;
    const now = nowMs();
    if (now < found.lockedUntil || (found.lockedUntil === 0 && now - found.since < WINDOW_MS)) return found;
    known.delete(address);
    return undefined;
  };

  return {
    noteFailure: async (address) => {
      const network = networkOf(address);
      const found = live(network) ?? { count: 0, since: nowMs(), lockedUntil: 0 };
      const leftMs = found.lockedUntil - nowMs();
      if (leftMs > 0) return Math.ceil(leftMs / 1000);
      found.count += 1;
      if (found.count >= FAILURES) found.lockedUntil = nowMs() + LOCKED_MS;
      // Evicts the address with the oldest failure.
      known.delete(network);
      const oldest = known.keys().next();
      if (known.size >= MAX_ADDRESSES && oldest.done !== true) known.delete(oldest.value);
      known.set(network, found);
      return 0;
    },
    forget: (address) => {
      known.delete(networkOf(address));
    },
  };
}
