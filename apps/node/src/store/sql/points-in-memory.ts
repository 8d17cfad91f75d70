import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RatePoints } from '../ports/rate-points.js';

export const WINDOW_S = 60;

/** Points counted by this process alone. */
export function pointsInMemory(): RatePoints {
  return pointsOf(limiterInMemory());
}

/** Counts are kept for one window. */
export function limiterInMemory(): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: '', points: 1, duration: WINDOW_S });
}

/** The points that a limiter counts. */
export function pointsOf(limiter: RateLimiterAbstract): RatePoints {
  return {
    take: async (key, points) => {
      // A penalty is always counted and never refused: the caller knows the limit and decides.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points);
      return { taken: consumedPoints, msLeft: msBeforeNext };
    },
  };
}
