import { settleWithin } from '@cer/http-service';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Database, SqlValue } from './database.js';
import type { RatePoints } from '../ports/rate-points.js';
import { StoreError } from '../ports/store-error.js';

const WINDOW_S = 60;
/** Timeout of the shared count; after it the node counts alone. */
const ANSWER_WITHIN_MS = 1000;

/** Local counts are kept for one window. */
const inMemory = (): RateLimiterMemory => new RateLimiterMemory({ keyPrefix: '', points: 1, duration: WINDOW_S });

/**
 * Points of rate limits, counted by `rate-limiter-flexible`.
 * @param answerWithinMs timeout of the shared count, default 1 s
 */
export function ratePointsOn(database: Database, answerWithinMs = ANSWER_WITHIN_MS): RatePoints {
  const limiter = database.dialect === 'postgres' ? sharedOn(database, answerWithinMs) : inMemory();
  return {
    take: async (key, points) => {
      // A penalty is always counted and never refused: the caller knows the limit and decides.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points);
      return { taken: consumedPoints, msLeft: msBeforeNext };
    },
  };
}

function sharedOn(database: Database, answerWithinMs: number): RateLimiterAbstract {
  const storeClient = {
    query: async ({ text, values }: { readonly text: string; readonly values: readonly SqlValue[] }) => {
      const rows = await settleWithin(database.all(text, values), answerWithinMs, tooSlow);
      return { rows, rowCount: rows.length };
    },
  };
  return new RateLimiterPostgres({
    storeClient,
    storeType: 'pool',
    tableName: 'rate_limits',
    // Created by the schema steps.
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
