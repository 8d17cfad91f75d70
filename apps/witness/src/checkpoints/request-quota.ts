import type { KnownLog } from '../logs/known-logs.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Counts the requests of each log per UTC day, in memory: a restart begins a new count.
 * @returns takes one request; false when those of the day are used up
 */
export function requestQuota(now: () => Date): (log: KnownLog) => boolean {
  let day = 0;
  const counts = new Map<string, number>();
  return ({ origin, requestsPerDay }) => {
    const today = Math.floor(now().getTime() / DAY_MS);
    if (today !== day) counts.clear();
    day = today;
    const count = (counts.get(origin) ?? 0) + 1;
    counts.set(origin, count);
    return requestsPerDay === null || count <= requestsPerDay;
  };
}
