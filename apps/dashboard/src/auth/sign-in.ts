import type { PasswordHasher } from '../passwords/password-hash.js';
import type { Store, User } from '../store/index.js';
import type { LoginLimits } from './login-limits.js';

export interface SignInDeps {
  readonly store: Store;
  readonly hasher: PasswordHasher;
  readonly limits: LoginLimits;
}

export type SignInOutcome =
  | { readonly outcome: 'signed-in'; readonly user: User }
  /** One and the same for an unknown address, a wrong password and a disabled user. */
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'limited'; readonly retryAfterS: number };

export interface Credentials {
  /** Lower case. */
  readonly email: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** Checks address and password. Counts before comparing, and does the same work for every address. */
export const signIn =
  ({ store, hasher, limits }: SignInDeps) =>
  async ({ email, password, remoteAddress }: Credentials): Promise<SignInOutcome> => {
    const retryAfterS = await limits.attempt(email, remoteAddress);
    if (retryAfterS !== null) return { outcome: 'limited', retryAfterS };
    const found = await store.users.findForLogin(email);
    const usable = found?.user.enabled === true ? found.passwordHash : null;
    const matches = await hasher.verify(password, usable);
    if (!matches || found === null) return { outcome: 'refused' };
    await limits.succeeded(email);
    return { outcome: 'signed-in', user: found.user };
  };
