import { equalSecret, ServiceError, type RequestHead, type Secret } from '@cer/http-service';
import { createLockout, type LockoutTimes } from './lockout.js';

/** Access control of the admin routes. */
export interface AdminGate {
  /** For `admit` of a route. @throws ServiceError ADMIN_NOT_CONFIGURED, UNAUTHORIZED, RATE_LIMITED */
  readonly admit: (head: RequestHead) => Promise<void>;
  /** The actor in the audit log: the secret is shared, so only the address is known. */
  readonly actorOf: (head: RequestHead) => string;
}

export interface AdminGateDeps {
  readonly adminSecret: Secret<string> | undefined;
  readonly now: () => Date;
  readonly lockout?: LockoutTimes;
}

/** Five wrong secrets within 15 minutes lock the address out for 15 minutes. */
const LOCKOUT: LockoutTimes = { failures: 5, windowMs: 15 * 60_000, lockedMs: 15 * 60_000 };

/** @see docs/spec.md, "Admin routes" */
export function createAdminGate({ adminSecret, now, lockout = LOCKOUT }: AdminGateDeps): AdminGate {
  const locks = createLockout(lockout, () => now().getTime());
  return {
    admit: async ({ headers, remoteAddress }) => {
      if (adminSecret === undefined) {
        throw new ServiceError({ code: 'ADMIN_NOT_CONFIGURED', message: 'ADMIN_SECRET is not set on this node' });
      }
      const given = headers['x-admin-secret'];
      if (given === undefined) throw unauthorized();
      // Before the comparison, so that a locked-out client learns nothing from another attempt.
      const waitSeconds = locks.secondsLeft(remoteAddress);
      if (waitSeconds > 0) {
        throw new ServiceError({
          code: 'RATE_LIMITED',
          message: 'too many wrong secrets from this address: wait',
          headers: { 'retry-after': String(waitSeconds) },
        });
      }
      // Digests have equal length, so the comparison time reveals neither content nor length of the secret.
      if (!equalSecret(given, adminSecret.reveal())) {
        locks.noteFailure(remoteAddress);
        throw unauthorized();
      }
      locks.forget(remoteAddress);
    },
    actorOf: ({ remoteAddress }) => `admin@${remoteAddress}`,
  };
}

/** Without the challenge of keyed routes, so that browsers do not prompt for this secret. */
function unauthorized(): ServiceError {
  return new ServiceError({ code: 'UNAUTHORIZED', message: 'X-Admin-Secret: is missing or wrong' });
}
