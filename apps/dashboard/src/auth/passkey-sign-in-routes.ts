import type { Logger } from '@cer/http-service/process';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Passkeys } from '../passkeys/passkeys.js';
import type { Store } from '../store/index.js';
import type { FormFault } from '../web/form.js';
import type { Pages, Visit } from '../web/pages.js';
import type { Sessions } from '../web/sessions.js';
import { rememberDevice } from './known-device.js';
import { isProviderOnly } from './provider-only.js';
import { deviceAccount } from './second-step.js';
import type { ShowSignIn, SignInWays } from './sign-in-page.js';

export interface PasskeySignInDeps {
  readonly pages: Pages;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly passkeys: Passkeys | null;
  readonly ways: SignInWays;
  readonly showSignIn: ShowSignIn;
  readonly destination: (wanted: string | null) => string;
  readonly logger: Logger;
  readonly now: () => Date;
}

const fault = (sentence: string): readonly FormFault[] => [{ field: 'passkey', sentence }];
/** The same for an unknown, a removed and a forged passkey, an old challenge and a disabled user. */
const REFUSED = fault('The passkey was not accepted. Try again, or sign in another way.');
const PROVIDER_ONLY = fault('You sign in with your organisation: its passkeys count, and not those made here.');
const NO_SCRIPT = fault('Passkeys need JavaScript in this browser.');

/** Signing in by a passkey alone: the authenticator has verified its user, so no code is asked for. */
export function passkeySignInRoutes(deps: PasskeySignInDeps): readonly DescribedRoute[] {
  const { pages, sessions, store, passkeys, ways, showSignIn, destination, logger, now } = deps;
  if (passkeys === null) return [];

  const deviceCookies = async (email: string): Promise<readonly string[]> => {
    const found = await store.users.findForLogin(email);
    if (found === null || found.passwordHash === null) return [];
    const authenticator = await store.authenticators.find(found.user.userId);
    return [rememberDevice(deviceAccount(found.user, found.passwordHash, authenticator), now())];
  };

  return [
    pages.openAct(
      '/sign-in/passkey',
      { summary: 'Sign in with a passkey', fields: ['credential', 'to'] },
      async ({ head, formToken }: Visit, fields) => {
        const to = destination(fields.get('to'));
        const refuse = async (faults: readonly FormFault[]) => ({
          ...(await showSignIn({ formToken, to, faults })),
          status: 422,
        });
        const credential = fields.get('credential') ?? '';
        if (credential === '') return refuse(NO_SCRIPT);
        const checked = await passkeys.checkSignIn(credential, formToken, (id) => store.passkeys.find(id));
        if (!checked.ok) {
          logger.info({ cause: checked.cause }, 'passkey refused');
          return refuse(REFUSED);
        }
        const { found, counter, challenge } = checked;
        const { user, passkey } = found;
        if (!user.enabled) return refuse(REFUSED);
        if (await isProviderOnly(store, ways, user)) return refuse(PROVIDER_ONLY);
        if (!(await store.passkeys.use(passkey.credentialId, counter, challenge))) return refuse(REFUSED);
        return { goTo: to, cookies: [await sessions.start(head, user), ...(await deviceCookies(user.email))] };
      },
    ),
  ];
}
