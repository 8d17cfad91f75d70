import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
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

/** Rows that one statement removes: on SQLite no request is answered meanwhile, and on PostgreSQL its time is limited. */
const ROWS_AT_ONCE = 1000;

/** Removes expired rows. */
export async function sweepExpired(database: Database, now: Date): Promise<void> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  await database.run(async (db) => {
    await db('consumed_tokens').where('expires_at', '<=', now.toISOString()).delete();
    await db('sessions').where('expires_at', '<=', now.toISOString()).delete();
    await db('ingest_minutes').where('minute', '<', before(KEPT.minutesMs).slice(0, 16)).delete();
    await db('request_minutes').where('minute', '<', before(KEPT.minutesMs).slice(0, 16)).delete();
    await db('root_hours').where('hour', '<', before(KEPT.minutesMs).slice(0, 13)).delete();
  });
  await removeOlder(database, 'ingests', 'at', before(KEPT.ingestsMs));
  await removeOlder(database, 'trace_steps', 'stored_at', before(KEPT.tracesMs));
  await removeOlder(database, 'trace_roots', 'stored_at', before(KEPT.tracesMs));
}

/** Removes rows of a large table, the oldest first, and those of one time together. */
async function removeOlder(database: Database, table: string, column: string, before: string): Promise<void> {
  for (let isLast = false; !isLast;) {
    isLast = await database.run(async (db) => {
      const older = db<Readonly<Record<string, string>>>(table).where(column, '<', before);
      const next = await older.clone().orderBy(column).offset(ROWS_AT_ONCE).first(column);
      await (next === undefined ? older : older.where(column, '<=', next[column] ?? before)).delete();
      return next === undefined;
    });
    await nextTurnOfLoop();
  }
}
