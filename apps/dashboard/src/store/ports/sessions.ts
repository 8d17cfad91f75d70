import type { Tenant, User } from './accounts.js';
import type { Actor } from './acts.js';
import type { UsedChallenge } from './sign-in.js';

/** Of the token only its SHA-256 is kept. */
export interface NewLink {
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** Purpose of a link: the first set-up, or a user's password. */
export type LinkPurpose = { readonly purpose: 'set-up' } | { readonly purpose: 'password'; readonly user: User };

/** The owner, and the tenant, that a set-up link makes. */
export interface FirstOwner {
  readonly tenantName: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

export interface LinkStore {
  /**
   * A link with which the user chooses a password; earlier ones stop working.
   * @param form the form that asks for it
   * @returns false for an unknown user
   * @throws StoreError STORE_ROW_REFUSED for a form that was sent before
   */
  issuePasswordLink(
    tenantId: string,
    userId: string,
    link: NewLink,
    actor: Actor,
    form?: UsedChallenge,
  ): Promise<boolean>;
  /** A link with which the first owner sets the dashboard up. */
  issueSetUpLink(link: NewLink): Promise<void>;
  /** Purpose of a valid link. */
  find(tokenHash: string): Promise<LinkPurpose | null>;
  /** Uses the link up, sets the password and ends every session of the user, or does nothing at all. */
  redeemForPassword(tokenHash: string, passwordHash: string): Promise<User | null>;
  /** Uses every set-up link up and makes the first tenant and owner, or does nothing at all. */
  redeemForSetUp(tokenHash: string, owner: FirstOwner): Promise<User | null>;
}

export interface Session {
  readonly user: User;
  readonly tenant: Tenant;
  /** When the user signed in. */
  readonly startedAt: string;
  readonly lastSeenAt: string;
}

export interface NewSession {
  readonly tokenHash: string;
  /** As it was when the sign-in was checked. */
  readonly user: Pick<User, 'userId' | 'sessionsEndedAt'>;
  readonly expiresAt: Date;
  readonly replaces: string | null;
}

export interface SessionStore {
  /**
   * Signs a user in, in place of the session that the browser had.
   * @returns false, and nothing is made, for a disabled user, and for one who was signed out since the sign-in was checked
   */
  start(session: NewSession): Promise<boolean>;
  /**
   * A session that is neither expired nor idle for too long, of an enabled user.
   * @param idleSince the earliest last use that still counts
   */
  find(tokenHash: string, idleSince: Date): Promise<Session | null>;
  touch(tokenHash: string): Promise<void>;
  end(tokenHash: string): Promise<void>;
}
