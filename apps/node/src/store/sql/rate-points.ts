import { withinTime } from '@cer/http-service';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Database, SqlValue } from './database.js';
import type { RatePoints } from '../ports/rate-points.js';
import { StoreError } from '../ports/store-error.js';

const WINDOW_S = 60;
/** How long a request may wait for the shared count; then its node counts alone. */
const ANSWER_WITHIN_MS = 1000;

/** What this process counts by itself is kept for the length of a window. */
const inMemory = (): RateLimiterMemory => new RateLimiterMemory({ keyPrefix: '', points: 1, duration: WINDOW_S });

/**
 * Points of rate limits, counted by `rate-limiter-flexible`.
 * @param answerWithinMs how long a request waits for a shared count, 1 s unless given
 */
export function ratePointsOn(database: Database, answerWithinMs = ANSWER_WITHIN_MS): RatePoints {
  const limiter = database.dialect === 'postgres' ? sharedOn(database, answerWithinMs) : inMemory();
  return {
    take: async (key, points) => {
      // A penalty is always booked and never refused: what is too much is decided where the limit is known.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points);
      return { taken: consumedPoints, msLeft: msBeforeNext };
    },
  };
}

function sharedOn(database: Database, answerWithinMs: number): RateLimiterAbstract {
  const storeClient = {
    query: async ({ text, values }: { readonly text: string; readonly values: readonly SqlValue[] }) => {
      const rows = await withinTime(database.all(text, values), answerWithinMs, tooSlow);
      return { rows, rowCount: rows.length };
    },
  };
  return new RateLimiterPostgres({
    storeClient,
    storeType: 'pool',
    tableName: 'rate_limits',
    // By the schema steps.
    tableCreated: true,
    keyPrefix: '',
    points: 1,
    duration: WINDOW_S,
    insuranceLimiter: inMemory(),
  });
}

function tooSlow(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'the database takes too long');
}
