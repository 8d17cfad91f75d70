import { setTimeout as sleep } from 'node:timers/promises';

const DAY_MS = 86_400_000;
/** More than the tests of a suite take that count by day or by month, on a busy machine too. */
const SPARE_MS = 20_000;

/** Waits for the next day, in UTC, where this one is about to end: counts of a day or a month would be of two. */
export async function dayWithTimeLeft(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < SPARE_MS) await sleep(left);
}
