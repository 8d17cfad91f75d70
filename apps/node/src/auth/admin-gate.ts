import { ServiceError, type RequestHead } from '@cer/http-service';
import { equalSecret, type Secret } from '@cer/http-service/config';
import { createLockout, type Lockout } from './lockout.js';

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
  /** Of all workers of the node; absent: this process is alone. */
  readonly locks?: Lockout | undefined;
}

/** @see docs/spec.md, "Admin routes" */
export function createAdminGate(deps: AdminGateDeps): AdminGate {
  const { adminSecret, now, locks = createLockout(() => now().getTime()) } = deps;
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
      const waitSeconds = await locks.noteFailure(remoteAddress);
      if (waitSeconds > 0) {
        throw new ServiceError({
          code: 'RATE_LIMITED',
          message: 'too many wrong secrets from this address: wait',
          headers: { 'retry-after': String(waitSeconds) },
        });
      }
      throw unauthorized();
    },
    actorOf: ({ remoteAddress }) => `admin@${remoteAddress}`,
  };
}

/** Without the challenge of keyed routes, so that browsers do not prompt for this secret. */
function unauthorized(): ServiceError {
  return new ServiceError({ code: 'UNAUTHORIZED', message: 'X-Admin-Secret: is missing or wrong' });
}
