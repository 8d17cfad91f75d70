import type { User } from './accounts.js';
import type { Actor } from './acts.js';

/** The person whose way of signing in changes. */
export type Person = Pick<User, 'userId' | 'tenantId' | 'email'>;

/** A person as read with the session that changes the way. */
export type SignedInPerson = Person & Pick<User, 'sessionsEndedAt'>;

/** A secret as `secrets/secret-box.ts` seals it. */
export interface StoredSecret {
  readonly keyId: string;
  readonly sealed: string;
}

/** An authenticator app of a user. */
export interface Authenticator extends StoredSecret {
  readonly addedAt: string;
  readonly recoveryCodesLeft: number;
}

export interface AuthenticatorStore {
  find(userId: string): Promise<Authenticator | null>;
  /**
   * Adds the authenticator and its recovery codes, and ends every session of the user.
   * @param step time step of the code that confirmed it
   * @returns false when the user has one, is disabled or was signed out since
   */
  add(person: SignedInPerson, secret: StoredSecret, step: number, recoveryHashes: readonly string[]): Promise<boolean>;
  /** Accepts a time step once, and none before it. @returns false for a step that is used up */
  useStep(userId: string, step: number): Promise<boolean>;
  /** @returns false for an unknown or used code */
  useRecoveryCode(person: Person, codeHash: string): Promise<boolean>;
  /**
   * @param form the form that asks for them
   * @returns false without an authenticator
   * @throws StoreError STORE_ROW_REFUSED for a form that was sent before
   */
  replaceRecoveryCodes(person: Person, hashes: readonly string[], form?: UsedChallenge): Promise<boolean>;
  /** With the recovery codes. @returns false when there is none */
  remove(person: Person): Promise<boolean>;
  /** Of the keys that secrets are sealed under. */
  keyIds(): Promise<readonly string[]>;
  /**
   * Seals every secret again that is not under `keyId`.
   * @param reseal returns null to leave a secret as it is
   * @returns how many were changed
   */
  resealAll(keyId: string, reseal: (userId: string, secret: StoredSecret) => StoredSecret | null): Promise<number>;
}

/** A challenge of WebAuthn that was answered, or the id of a form that was sent: it is accepted once. */
export interface UsedChallenge {
  /** SHA-256 of it, 64 hex digits. */
  readonly challengeHash: string;
  readonly expiresAt: Date;
}

export interface Passkey {
  /** As the authenticator states it, base64url. */
  readonly credentialId: string;
  readonly userId: string;
  readonly name: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** Signature counter; 0 for authenticators without one. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly addedAt: string;
  readonly lastUsedAt: string | null;
}

export type NewPasskey = Omit<Passkey, 'userId' | 'addedAt' | 'lastUsedAt'>;

export interface PasskeyStore {
  /**
   * @returns false for a challenge that was answered before, for a credential that is there already, and for a user who
   *   is disabled or was signed out since
   */
  add(person: SignedInPerson, passkey: NewPasskey, challenge: UsedChallenge): Promise<boolean>;
  /** Oldest first. */
  list(userId: string): Promise<readonly Passkey[]>;
  find(credentialId: string): Promise<{ readonly passkey: Passkey; readonly user: User } | null>;
  /**
   * Notes one use.
   * @returns false for a challenge that was answered before, a removed passkey, and a counter that did not rise
   */
  use(credentialId: string, counter: number, challenge: UsedChallenge): Promise<boolean>;
  /**
   * Ends every other session of the user.
   * @param kept SHA-256 of the token of the session that removes it
   * @returns false unless the user has this passkey
   */
  remove(person: Person, credentialId: string, kept: string): Promise<boolean>;
}

export interface SignInStore {
  /** Removes the authenticator, its recovery codes and all passkeys of a user, and ends the sessions. */
  reset(person: Person, actor: Actor): Promise<void>;
  /** Whether the user is linked to an account at the sign-in provider. */
  isLinked(userId: string): Promise<boolean>;
}
