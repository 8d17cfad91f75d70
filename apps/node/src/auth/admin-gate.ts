import { ServiceError, type RequestHead } from '@cer/http-service';
import { equalSecret, type Secret } from '@cer/http-service/config';
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
}

/** After five wrong secrets within 15 minutes, further wrong ones of the address are RATE_LIMITED for 15 minutes. */
const LOCKOUT: LockoutTimes = { failures: 5, windowMs: 15 * 60_000, lockedMs: 15 * 60_000 };

/** @see docs/spec.md, "Admin routes" */
export function createAdminGate({ adminSecret, now }: AdminGateDeps): AdminGate {
  const locks = createLockout(LOCKOUT, () => now().getTime());
  return {
    admit: async ({ headers, remoteAddress }) => {
      if (adminSecret === undefined) {
        throw new ServiceError({ code: 'ADMIN_NOT_CONFIGURED', message: 'ADMIN_SECRET is not set on this node' });
      }
      const given = headers['x-admin-secret'];
      if (given === undefined) throw unauthorized();
      // Compared first: the secret is too long to guess, and wrong ones from an address must not keep an administrator
      // there from revoking a key. Digests have equal length, so the time reveals neither content nor length.
      if (equalSecret(given, adminSecret.reveal())) {
        locks.forget(remoteAddress);
        return;
      }
      const waitSeconds = locks.secondsLeft(remoteAddress);
      if (waitSeconds > 0) {
        throw new ServiceError({
          code: 'RATE_LIMITED',
          message: 'too many wrong secrets from this address: wait',
          headers: { 'retry-after': String(waitSeconds) },
        });
      }
      locks.noteFailure(remoteAddress);
      throw unauthorized();
    },
    actorOf: ({ remoteAddress }) => `admin@${remoteAddress}`,
  };
}

/** Without the challenge of keyed routes, so that browsers do not prompt for this secret. */
function unauthorized(): ServiceError {
  return new ServiceError({ code: 'UNAUTHORIZED', message: 'X-Admin-Secret: is missing or wrong' });
}
