import type { KnownLog } from '../logs/known-logs.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The checkpoints of each log that were cosigned in a UTC day and that advanced it. Only the log can make one: any
 * reader of its public checkpoints can send them again.
 */
export interface AdvanceQuota {
  readonly isUsedUp: (log: KnownLog) => boolean;
  readonly count: (log: KnownLog) => void;
}

/** Counts in memory: a restart begins a new count. */
export function advanceQuota(now: () => Date): AdvanceQuota {
  let day = 0;
  const counts = new Map<string, number>();
  const countOf = ({ origin }: KnownLog): number => {
    const today = Math.floor(now().getTime() / DAY_MS);
    if (today !== day) counts.clear();
    day = today;
    return counts.get(origin) ?? 0;
  };
  return {
    isUsedUp: (log) => log.requestsPerDay !== null && countOf(log) >= log.requestsPerDay,
    count: (log) => {
      counts.set(log.origin, countOf(log) + 1);
    },
  };
}
