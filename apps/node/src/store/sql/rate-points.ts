import { settleWithin } from '@cer/http-service';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database, SqlValue } from './database.js';
import type { RatePoints } from '../ports/rate-points.js';
import { limiterInMemory, pointsInMemory, pointsOf, WINDOW_S } from './points-in-memory.js';
import { StoreError } from '../ports/store-error.js';

/** Timeout of the shared count; after it the node counts alone. */
const ANSWER_WITHIN_MS = 1000;

/**
 * Points of rate limits, counted by `rate-limiter-flexible`.
 * @param answerWithinMs timeout of the shared count, default 1 s
 * @param local counts where the database does not
 */
export function ratePointsOn(
  database: Database,
  answerWithinMs = ANSWER_WITHIN_MS,
  local: RatePoints = pointsInMemory(),
): RatePoints {
  return database.dialect === 'postgres' ? sharedOn(database, answerWithinMs) : local;
}

function sharedOn(database: Database, answerWithinMs: number): RatePoints {
  const storeClient = {
    query: async ({ text, values }: { readonly text: string; readonly values: readonly SqlValue[] }) => {
      const rows = await settleWithin(database.all(text, values), answerWithinMs, tooSlow);
      return { rows, rowCount: rows.length };
    },
  };
  const limiter = new RateLimiterPostgres({
    storeClient,
    storeType: 'pool',
    tableName: 'rate_limits',
    // Created by the schema steps.
    tableCreated: true,
    keyPrefix: '',
    points: 1,
    duration: WINDOW_S,
    insuranceLimiter: limiterInMemory(),
  });
  return pointsOf(limiter);
}

function tooSlow(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'the database takes too long');
}
