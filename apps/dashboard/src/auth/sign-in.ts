import type { RequestHead } from '@cer/http-service';
import type { PasswordHasher } from '../passwords/password-hash.js';
import type { Store } from '../store/index.js';
import { knownDevice } from './known-device.js';
import type { LoginLimits } from './login-limits.js';
import { deviceAccount, signedIn, type PasswordSignIn, type SignedIn } from './second-step.js';

export interface SignInDeps {
  readonly store: Store;
  readonly hasher: PasswordHasher;
  readonly limits: LoginLimits;
  readonly now: () => Date;
}

export type SignInOutcome =
  | SignedIn
  /** The password is right, and the user has an authenticator. */
  | { readonly outcome: 'needs-code'; readonly signIn: PasswordSignIn }
  /** One and the same for an unknown address, a wrong password and a disabled user. */
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'limited'; readonly retryAfterS: number };

export interface Credentials {
  /** Lower case. */
  readonly email: string;
  readonly password: string;
  readonly head: Pick<RequestHead, 'headers' | 'remoteAddress'>;
}

/** Checks address and password. Counts before comparing, and does the same work for every address. */
export const signIn =
  ({ store, hasher, limits, now }: SignInDeps) =>
  async ({ email, password, head }: Credentials): Promise<SignInOutcome> => {
    const found = await store.users.findForLogin(email);
    const passwordHash = found?.user.enabled === true ? found.passwordHash : null;
    const authenticator = await store.authenticators.find(found?.user.userId ?? '');
    const account =
      found === null || passwordHash === null ? null : deviceAccount(found.user, passwordHash, authenticator);
    const device = account === null ? null : knownDevice(head, account, now());
    const attempt = { email, remoteAddress: head.remoteAddress, device };
    const retryAfterS = await limits.attempt(attempt);
    if (retryAfterS !== null) return { outcome: 'limited', retryAfterS };
    const matches = await hasher.verify(password, passwordHash);
    if (!matches || found === null || account === null) return { outcome: 'refused' };
    await limits.succeeded(attempt);
    const { user } = found;
    if (authenticator !== null) return { outcome: 'needs-code', signIn: { user, account } };
    return signedIn({ user, account }, now());
  };
