import type { RequestHead } from '@cer/http-service';
import { equalSecret } from '@cer/http-service/config';
import { tokenHash } from '../account/random-token.js';
import type { SecretBox } from '../secrets/secret-box.js';
import type { Authenticator, Store, User } from '../store/index.js';
import { recoveryCodeHash } from '../totp/recovery-codes.js';
import { sixDigits, stepOfCode } from '../totp/totp.js';
import { knownDevice, rememberDevice, type DeviceAccount } from './known-device.js';
import type { LoginAttempt, LoginLimits } from './login-limits.js';
import type { Tickets } from '../web/tickets.js';

/** Time for typing the code, in ms. */
const STEP_MS = 5 * 60_000;

export interface SecondStepDeps {
  readonly store: Store;
  readonly limits: LoginLimits;
  readonly tickets: Tickets;
  /** Undefined without a secrets file: then no user has an authenticator. */
  readonly secretBox: SecretBox | undefined;
  readonly now: () => Date;
}

/** A user whose password was right. */
export interface PasswordSignIn {
  readonly user: User;
  readonly account: DeviceAccount;
}

export interface SignedIn {
  readonly outcome: 'signed-in';
  readonly user: User;
  readonly deviceCookie: string;
}

/** The outcome of the last step. */
export function signedIn({ user, account }: PasswordSignIn, now: Date): SignedIn {
  return { outcome: 'signed-in', user, deviceCookie: rememberDevice(account, now) };
}

export type SecondStepOutcome =
  | SignedIn
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'limited'; readonly retryAfterS: number }
  /** The first step is too long ago, or the account changed since. */
  | { readonly outcome: 'over' };

export interface CodeSent {
  readonly ticket: string;
  readonly code: string;
  /** The form token of the browser that did the first step. */
  readonly binding: string;
  readonly head: Pick<RequestHead, 'headers' | 'remoteAddress'>;
}

/** The code of an authenticator app, asked after the password. */
export interface SecondStep {
  /** @returns what the page of the code carries */
  begin(signIn: PasswordSignIn, binding: string): string;
  finish(sent: CodeSent): Promise<SecondStepOutcome>;
}

/** @returns the account as a password and its devices are checked against */
export function deviceAccount(user: User, passwordHash: string, authenticator: Authenticator | null): DeviceAccount {
  return { userId: user.userId, passwordHash, authenticatorAddedAt: authenticator?.addedAt ?? null };
}

export function createSecondStep({ store, limits, tickets, secretBox, now }: SecondStepDeps): SecondStep {
  const isCodeRight = async ({ userId }: User, authenticator: Authenticator, code: string): Promise<boolean> => {
    const secret = secretBox?.open('authenticator', userId, authenticator) ?? null;
    if (secret === null) throw new Error('the secret of an authenticator does not open: see SECRETS_KEY_FILE');
    const digits = sixDigits(code);
    const step = digits === null ? null : stepOfCode(secret, digits, now());
    return step !== null && (await store.authenticators.useStep(userId, step));
  };

  return {
    begin: ({ user, account }, binding) =>
      tickets.issue({ purpose: 'second step', binding }, `${markOf(account)}${user.email}`, STEP_MS),
    finish: async ({ ticket, code, binding, head }) => {
      const read = tickets.read({ purpose: 'second step', binding }, ticket);
      if (read === null) return { outcome: 'over' };
      const email = read.claims.slice(MARK_CHARACTERS);
      const found = await store.users.findForLogin(email);
      if (found?.user.enabled !== true || found.passwordHash === null) return { outcome: 'over' };
      const { user } = found;
      const authenticator = await store.authenticators.find(user.userId);
      const account = deviceAccount(user, found.passwordHash, authenticator);
      const isSame = equalSecret(markOf(account), read.claims.slice(0, MARK_CHARACTERS));
      if (authenticator === null || !isSame) return { outcome: 'over' };

      const device = knownDevice(head, account, now());
      const attempt: LoginAttempt = { email, remoteAddress: head.remoteAddress, device };
      const recovery = recoveryCodeHash(user.userId, code);
      // A recovery code cannot be guessed: strangers who use up the attempts at codes do not take it from its owner.
      const retryAfterS = await (recovery === null ? limits.codeAttempt(attempt) : limits.attempt(attempt));
      if (retryAfterS !== null) return { outcome: 'limited', retryAfterS };
      const isRight =
        recovery === null
          ? await isCodeRight(user, authenticator, code)
          : await store.authenticators.useRecoveryCode(user, recovery);
      if (!isRight) {
        await store.note(user.tenantId, 'code refused', email, 'sign-in page');
        return { outcome: 'refused' };
      }
      await (recovery === null ? limits.codeSucceeded(attempt) : limits.succeeded(attempt));
      return signedIn({ user, account }, now());
    },
  };
}

const MARK_CHARACTERS = 64;

/** Changes with the password and with the authenticator. */
function markOf({ userId, passwordHash, authenticatorAddedAt }: DeviceAccount): string {
  return tokenHash([userId, passwordHash, authenticatorAddedAt ?? ''].join('\n'));
}
