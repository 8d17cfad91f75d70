import type { Database } from '@cer/sql-store';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Thirteen months, so that a month can be compared with the same one a year ago. */
const USAGE_DAYS_KEPT = 400;
/** Longer than the time for which a sender repeats a report. */
const REPORTS_KEPT_DAYS = 7;
/** Days for which a shared link is still listed as ended. */
const SHARES_KEPT_DAYS = 90;

/** Removes expired rows. The audit trail stays. */
export async function sweepExpired(database: Database, now: Date): Promise<void> {
  const before = (days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString();
  await database.run(async (db) => {
    await db('sessions').where('expires_at', '<=', now.toISOString()).delete();
    await db('reader_keys').where('expires_at', '<=', now.toISOString()).delete();
    await db('used_challenges').where('expires_at', '<=', now.toISOString()).delete();
    await db('one_time_links').where('expires_at', '<=', now.toISOString()).delete();
    await db('shares').where('expires_at', '<', before(SHARES_KEPT_DAYS)).delete();
    await db('usage_reports').where('received_at', '<', before(REPORTS_KEPT_DAYS)).delete();
    await db('usage_days').where('day', '<', before(USAGE_DAYS_KEPT).slice(0, 10)).delete();
    await db('login_attempts').where('expire', '<', now.getTime()).delete();
  });
}
