import { pathParam, ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import * as z from 'zod';
import { PlainName } from '../account/person.js';
import { tokenHash } from '../account/random-token.js';
import { isProviderOnly } from '../auth/provider-only.js';
import type { SignInWays } from '../auth/sign-in-page.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Passkeys } from '../passkeys/passkeys.js';
import type { Store, User } from '../store/index.js';
import { checkForm, type FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { Pages, SignedIn } from '../web/pages.js';
import { refuseOldSession } from './recent-sign-in.js';

const MAX_PASSKEYS = 20;
const PasskeyForm = z.object({ name: PlainName, credential: z.string() });
const LABELS = { name: 'Name of the new passkey', credential: 'The passkey' };
const REFUSED = 'The passkey was not accepted. Try again.';

export interface PasskeyRoutesDeps {
  readonly pages: Pages;
  readonly store: Store;
  /** Null when this dashboard cannot have passkeys. */
  readonly passkeys: Passkeys | null;
  readonly ways: SignInWays;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** The page about signing in again, with the faults to correct. */
export type ShowSecurity = (visitor: SignedIn, faults: readonly FormFault[], given: string) => Promise<PageAnswer>;

/** @returns why the user cannot add a passkey; null when it is offered */
export async function passkeyRefusal(
  { passkeys, store, ways }: Pick<PasskeyRoutesDeps, 'passkeys' | 'store' | 'ways'>,
  user: User,
): Promise<string | null> {
  if (passkeys === null) return 'Not offered: this dashboard has no host name, only an address, which passkeys refuse.';
  return (await isProviderOnly(store, ways, user))
    ? 'Not offered: you sign in with your organisation, which has its own passkeys.'
    : null;
}

/** Adding and removing passkeys of the person who is signed in. */
export function passkeyRoutes(deps: PasskeyRoutesDeps, show: ShowSecurity): readonly DescribedRoute[] {
  const { pages, store, passkeys, logger, now } = deps;

  return [
    pages.act(
      '/security/passkeys',
      'person',
      { summary: 'Add a passkey', fields: ['name', 'credential'] },
      async (visitor, fields) => {
        const { session, formToken } = visitor;
        refuseOldSession(session, now());
        const { user } = session;
        const refusal = await passkeyRefusal(deps, user);
        if (passkeys === null || refusal !== null) throw notAllowed(refusal ?? 'Passkeys are not offered.');
        if ((await store.passkeys.list(user.userId)).length >= MAX_PASSKEYS) {
          throw notAllowed(`You have ${MAX_PASSKEYS} passkeys: remove one first.`);
        }
        const refuse = async (faults: readonly FormFault[]) => ({
          ...(await show(visitor, faults, fields.get('name') ?? '')),
          status: 422,
        });
        const form = checkForm(PasskeyForm, Object.fromEntries(fields), LABELS);
        if (!form.ok) return refuse(form.faults);
        const { name, credential } = form.value;
        const checked = await passkeys.checkRegistration(credential, formToken);
        if (!checked.ok) {
          logger.info({ cause: checked.cause }, 'passkey refused');
          return refuse([{ field: 'name', sentence: REFUSED }]);
        }
        if (!(await store.passkeys.add(user, { ...checked.passkey, name }, checked.challenge))) {
          return refuse([{ field: 'name', sentence: REFUSED }]);
        }
        return { goTo: '/security?done=passkey-added' };
      },
    ),
    pages.act('/security/passkeys/:credentialId/remove', 'person', 'Remove a passkey', async ({ session, head }) => {
      refuseOldSession(session, now());
      const kept = tokenHash(session.token);
      if (!(await store.passkeys.remove(session.user, pathParam(head, 'credentialId'), kept))) {
        throw new ServiceError({ code: 'NOT_FOUND', message: 'You have no such passkey: it may be removed already.' });
      }
      return { goTo: '/security?done=passkey-removed' };
    }),
  ];
}

function notAllowed(message: string): ServiceError {
  return new ServiceError({ code: 'FORBIDDEN', message });
}
