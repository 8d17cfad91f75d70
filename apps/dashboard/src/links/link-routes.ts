import { pathParam, ServiceError, type RequestHead } from '@cer/http-service';
import * as z from 'zod';
import { EmailAddress, PlainName } from '../account/person.js';
import { isRandomToken, tokenHash } from '../account/random-token.js';
import { codePage } from '../auth/code-page.js';
import { rememberDevice } from '../auth/known-device.js';
import { passwordsAreOff } from '../auth/refusals.js';
import { deviceAccount, type SecondStep } from '../auth/second-step.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { PasswordHasher } from '../passwords/password-hash.js';
import { NewPassword } from '../passwords/password-rules.js';
import type { LinkPurpose, Store, User } from '../store/index.js';
import { checkForm } from '../web/form.js';
import type { Pages } from '../web/pages.js';
import type { Sessions } from '../web/sessions.js';
import { passwordPage, setUpPage } from './link-pages.js';

export interface LinkDeps {
  readonly pages: Pages;
  readonly store: Store;
  readonly sessions: Sessions;
  readonly hasher: PasswordHasher;
  readonly secondStep: SecondStep;
  readonly now: () => Date;
  /** False: no password can be set. */
  readonly hasPassword: boolean;
}

const PASSWORD_LABELS = { password: 'Password' };
const PasswordForm = z.object({ password: NewPassword });

const SET_UP_LABELS = { tenant: 'Organisation', name: 'Your name', email: 'E-mail address', password: 'Password' };
const SetUpForm = z.object({ tenant: PlainName, name: PlainName, email: EmailAddress, password: NewPassword });

/** One-time links: the first set-up, and choosing a password. Opening one uses nothing up; sending its form does. */
export function linkRoutes(deps: LinkDeps): readonly DescribedRoute[] {
  const { pages, store, sessions, hasher, secondStep, now, hasPassword } = deps;
  const purposeOf = async (head: RequestHead): Promise<{ hash: string; purpose: LinkPurpose }> => {
    if (!hasPassword) throw passwordsAreOff();
    const token = pathParam(head, 'token');
    const hash = tokenHash(token);
    const purpose = isRandomToken(token) ? await store.links.find(hash) : null;
    if (purpose === null) throw linkIsOver();
    return { hash, purpose };
  };

  const cookiesFor = async (head: RequestHead, user: User, passwordHash: string): Promise<readonly string[]> => [
    await sessions.start(head, user),
    rememberDevice(deviceAccount(user, passwordHash, null), now()),
  ];

  return [
    pages.openView('/link/:token', 'What a one-time link is for', async ({ head, formToken }) => {
      const { purpose } = await purposeOf(head);
      return purpose.purpose === 'set-up' ? setUpPage({ formToken }) : passwordPage({ formToken, user: purpose.user });
    }),
    pages.openAct(
      '/link/:token',
      { summary: 'Use a one-time link', fields: ['password', 'tenant', 'name', 'email'] },
      async ({ head, formToken }, fields) => {
        const { hash, purpose } = await purposeOf(head);
        const given = Object.fromEntries(fields);
        if (purpose.purpose === 'password') {
          const form = checkForm(PasswordForm, given, PASSWORD_LABELS);
          if (!form.ok) return { ...passwordPage({ formToken, user: purpose.user, faults: form.faults }), status: 422 };
          const passwordHash = await hasher.hash(form.value.password);
          const user = await store.links.redeemForPassword(hash, passwordHash);
          if (user === null) throw linkIsOver();
          const authenticator = await store.authenticators.find(user.userId);
          if (authenticator !== null) {
            // A link replaces the password, and not the code.
            const signIn = { user, account: deviceAccount(user, passwordHash, authenticator) };
            return codePage({ formToken, to: '/', ticket: secondStep.begin(signIn, formToken) });
          }
          return { goTo: '/?done=password-set', cookies: await cookiesFor(head, user, passwordHash) };
        }
        const form = checkForm(SetUpForm, given, SET_UP_LABELS);
        if (!form.ok) return { ...setUpPage({ formToken, given: fields, faults: form.faults }), status: 422 };
        const { tenant: tenantName, name, email, password } = form.value;
        const passwordHash = await hasher.hash(password);
        const owner = await store.links.redeemForSetUp(hash, { tenantName, name, email, passwordHash });
        if (owner === null) throw linkIsOver();
        return { goTo: '/', cookies: await cookiesFor(head, owner, passwordHash) };
      },
    ),
  ];
}

/** The same answer for a link that never existed, is used, or expired. */
function linkIsOver(): ServiceError {
  return new ServiceError({
    code: 'NOT_FOUND',
    message: 'This link does not work any more. Links work once and not for long: ask for a new one.',
  });
}
