import { createHash } from 'node:crypto';
import { networkOf } from '@cer/http-service';
import type { Database } from '@cer/sql-store';
import { RateLimiterPostgres, RateLimiterRes, RateLimiterSQLite } from 'rate-limiter-flexible';

/** Attempts at one account in one window, as a multiple of `attemptsPerAccount`, after which strangers slow down. */
const SLOW_AFTER_NETWORKS = 5;
/** Attempts per account, network and window from then on. */
const SLOW_ATTEMPTS = 1;

export interface LoginLimitOptions {
  /** Maximum attempts at one account from one network, and from one known device. */
  readonly attemptsPerAccount: number;
  /** Maximum attempts from one network at all accounts; known devices do not count. */
  readonly attemptsPerAddress: number;
  readonly windowS: number;
}

export interface LoginAttempt {
  /** Lower case. */
  readonly email: string;
  readonly remoteAddress: string;
  /** Id of the device when it signed in to this account before; null for a stranger. */
  readonly device: string | null;
}

/**
 * Counts attempts in the database, so that every instance sees the same number. Guessing is bounded for each network,
 * and each stranger's network has a single attempt once an account was tried from many. No attempt counts against a
 * known device or another network, so that a stranger never locks an account.
 */
export interface LoginLimits {
  /**
   * Counts one attempt.
   * @returns whole seconds to wait after too many attempts; null when the attempt may continue
   * @throws StoreError when attempts cannot be counted: no sign-in goes uncounted
   */
  attempt(attempt: LoginAttempt): Promise<number | null>;
  /** Takes a counted attempt back, and with it the earlier ones of its device or network at this account. */
  succeeded(attempt: LoginAttempt): Promise<void>;
  /**
   * Counts one code of an authenticator app, which is easier to guess than a password: all strangers together have the
   * attempts of one network. They know the password, and a known device is counted apart.
   */
  codeAttempt(attempt: LoginAttempt): Promise<number | null>;
  codeSucceeded(attempt: LoginAttempt): Promise<void>;
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
  const addresses = limiter('address', options.attemptsPerAddress);
  const pairs = limiter('pair', options.attemptsPerAccount);
  const accounts = limiter('account', options.attemptsPerAccount * SLOW_AFTER_NETWORKS);
  const devices = limiter('device', options.attemptsPerAccount);
  const codes = limiter('code', options.attemptsPerAccount);
  const deviceCodes = limiter('device-code', options.attemptsPerAccount);

  const count = (limiting: RateLimiterPostgres | RateLimiterSQLite, key: string): Promise<Counted> =>
    database.run(() => consume(limiting, key, options.windowS));

  return {
    attempt: async ({ email, remoteAddress, device }) => {
      if (device !== null) return waitOf(await count(devices, digest(email, device)));
      const network = networkOf(remoteAddress);
      const byNetwork = await count(addresses, network);
      if (byNetwork.isOver) return waitOf(byNetwork);
      const byPair = await count(pairs, digest(email, network));
      if (byPair.isOver) return waitOf(byPair);
      const byAccount = await count(accounts, digest(email));
      return byAccount.isOver && byPair.attempts > SLOW_ATTEMPTS ? waitOf({ ...byPair, isOver: true }) : null;
    },
    succeeded: async ({ email, remoteAddress, device }) => {
      const network = networkOf(remoteAddress);
      await database.run(async () => {
        if (device !== null) {
          await devices.delete(digest(email, device));
          return;
        }
        await addresses.reward(network);
        await accounts.reward(digest(email));
        await pairs.delete(digest(email, network));
      });
    },
    codeAttempt: async ({ email, device }) =>
      waitOf(await (device === null ? count(codes, digest(email)) : count(deviceCodes, digest(email, device)))),
    codeSucceeded: async ({ email, device }) => {
      await database.run(async () => {
        if (device === null) await codes.reward(digest(email));
        else await deviceCodes.delete(digest(email, device));
      });
    },
  };
}

interface Counted {
  /** In this window, this one included. */
  readonly attempts: number;
  readonly isOver: boolean;
  /** Until the window ends. */
  readonly leftMs: number;
}

async function consume(
  limiter: RateLimiterPostgres | RateLimiterSQLite,
  key: string,
  windowS: number,
): Promise<Counted> {
  const counted = ({ consumedPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Counted => ({
    attempts: consumedPoints,
    isOver,
    leftMs: msBeforeNext,
  });
  try {
    return counted(await limiter.consume(key), false);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    // Clocks of instances differ, but not by a window: that one began before the clock was set back.
    if (refused.msBeforeNext <= 2 * windowS * 1000) return counted(refused, true);
    await limiter.delete(key);
    return consume(limiter, key, windowS);
  }
}

function waitOf({ isOver, leftMs }: Counted): number | null {
  return isOver ? Math.max(1, Math.ceil(leftMs / 1000)) : null;
}

/** Of one length for any parts; none of them contains a line break. */
function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
