import { createHash } from 'node:crypto';
import { networkOf } from '@cer/http-service';
import type { Database } from '@cer/sql-store';
import { RateLimiterPostgres, RateLimiterRes, RateLimiterSQLite } from 'rate-limiter-flexible';

export interface LoginLimitOptions {
  readonly attemptsPerAccount: number;
  readonly attemptsPerAddress: number;
  readonly windowS: number;
}

/** Counts attempts in the database, so that every instance sees the same number. */
export interface LoginLimits {
  /**
   * Counts one attempt.
   * @returns whole seconds to wait after too many attempts; null when the attempt may continue
   * @throws StoreError when attempts cannot be counted: no sign-in goes uncounted
   */
  attempt(email: string, remoteAddress: string): Promise<number | null>;
  /** Forgets the attempts at an account once its owner got in. */
  succeeded(email: string): Promise<void>;
}

export function createLoginLimits(database: Database, options: LoginLimitOptions): LoginLimits {
  const limiter = (keyPrefix: string, points: number): RateLimiterPostgres | RateLimiterSQLite => {
    const settings = {
      storeClient: database.knex,
      storeType: 'knex',
      tableName: 'login_attempts',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: options.windowS,
    };
    return database.dialect === 'postgres' ? new RateLimiterPostgres(settings) : new RateLimiterSQLite(settings);
  };
  const accounts = limiter('account', options.attemptsPerAccount);
  const addresses = limiter('address', options.attemptsPerAddress);

  return {
    attempt: async (email, remoteAddress) =>
      (await database.run(() => consume(addresses, networkOf(remoteAddress)))) ??
      (await database.run(() => consume(accounts, digest(email)))),
    succeeded: async (email) => {
      await database.run(() => accounts.delete(digest(email)));
    },
  };
}

async function consume(limiter: RateLimiterPostgres | RateLimiterSQLite, key: string): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    throw refused;
  }
}

/** Of one length for any address. */
function digest(email: string): string {
  return createHash('sha256').update(email).digest('hex');
}
