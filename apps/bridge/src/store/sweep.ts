import type { Database } from '@cer/sql-store';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Retention times, in ms. */
const KEPT = {
  /** Executions that the pages show. */
  ingestsMs: 2 * DAY_MS,
  /** Counts per minute and per hour. */
  minutesMs: 2 * HOUR_MS,
  /** A trace that takes longer is sealed with its later spans only. */
  tracesMs: DAY_MS,
};

/** Removes expired rows. */
export async function sweepExpired(database: Database, now: Date): Promise<void> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  await database.run(async (db) => {
    await db('consumed_tokens').where('expires_at', '<=', now.toISOString()).delete();
    await db('sessions').where('expires_at', '<=', now.toISOString()).delete();
    await db('ingests').where('at', '<', before(KEPT.ingestsMs)).delete();
    await db('ingest_minutes').where('minute', '<', before(KEPT.minutesMs).slice(0, 16)).delete();
    await db('request_minutes').where('minute', '<', before(KEPT.minutesMs).slice(0, 16)).delete();
    await db('root_hours').where('hour', '<', before(KEPT.minutesMs).slice(0, 13)).delete();
    await db('trace_steps').where('stored_at', '<', before(KEPT.tracesMs)).delete();
    await db('trace_roots').where('stored_at', '<', before(KEPT.tracesMs)).delete();
  });
}
