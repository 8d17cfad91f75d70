import type { Store, User } from '../store/index.js';
import type { SignInWays } from './sign-in-page.js';

/**
 * Whether the provider alone vouches for a user: a passkey would open the account to a person who was removed there.
 * Users with a password may sign in beside the provider, while passwords are accepted.
 */
export async function isProviderOnly(
  store: Pick<Store, 'signInWays'>,
  { hasProvider, hasPassword }: SignInWays,
  user: Pick<User, 'userId' | 'hasPassword'>,
): Promise<boolean> {
  if (!hasProvider || (hasPassword && user.hasPassword)) return false;
  return store.signInWays.isLinked(user.userId);
}
