import type { Logger } from '@cer/http-service/process';
import * as z from 'zod';
import { EmailAddress } from '../account/person.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Passkeys } from '../passkeys/passkeys.js';
import { GivenPassword } from '../passwords/password-rules.js';
import { clearCookie, SESSION_COOKIE } from '../web/cookies.js';
import { checkForm, type FormFault } from '../web/form.js';
import { noticeText } from '../web/notices.js';
import type { Pages } from '../web/pages.js';
import type { Sessions } from '../web/sessions.js';
import { codePage } from './code-page.js';
import { codeRoutes } from './code-routes.js';
import { passkeySignInRoutes } from './passkey-sign-in-routes.js';
import { passwordsAreOff, tooManyAttempts } from './refusals.js';
import type { SecondStep } from './second-step.js';
import { signInPage, type ShowSignIn, type SignInWays } from './sign-in-page.js';
import { signIn, type SignInDeps } from './sign-in.js';

export interface SignInRoutesDeps extends SignInDeps {
  readonly pages: Pages;
  readonly sessions: Sessions;
  /** Allowed after signing in, with the pages below them and any query; any other leads to the overview. */
  readonly destinations: readonly string[];
  readonly ways: SignInWays;
  readonly secondStep: SecondStep;
  /** Null when this dashboard cannot have passkeys. */
  readonly passkeys: Passkeys | null;
  readonly logger: Logger;
}

const SignInForm = z.object({ email: EmailAddress, password: GivenPassword });
const LABELS = { email: 'E-mail address', password: 'Password' };
const REFUSED: readonly FormFault[] = [
  { field: 'email', sentence: 'The e-mail address or the password is not right.' },
];

/** A path without empty parts, as another host has, and a query; both as `URLSearchParams` and links write them. */
const PAGE_OF_THIS_SITE = /^(?:\/|(?:\/[\w.:~%-]+)+)(?:\?[\w.*~%+&=-]*)?$/;

function isBelow(page: string, place: string): boolean {
  return page === place || page.startsWith(`${place}?`) || (place !== '/' && page.startsWith(`${place}/`));
}

/** Signing in and out. */
export function signInRoutes(deps: SignInRoutesDeps): readonly DescribedRoute[] {
  const { pages, sessions, store, destinations, ways, secondStep, passkeys } = deps;
  const check = signIn(deps);
  const destination = (wanted: string | null): string =>
    wanted !== null && PAGE_OF_THIS_SITE.test(wanted) && destinations.some((path) => isBelow(wanted, path))
      ? wanted
      : '/';
  const showSignIn: ShowSignIn = async (page) => {
    const passkeyOptions = passkeys === null ? null : await passkeys.signInOptions(page.formToken);
    return signInPage({ ...page, ways, passkeyOptions });
  };

  return [
    pages.openView('/sign-in', { summary: 'Signing in', query: ['to', 'again'] }, async ({ head, formToken }) => {
      // Signing in again makes a session recent.
      const isAgain = head.query.has('again');
      if (!isAgain && (await sessions.of(head)) !== null) return { goTo: destination(head.query.get('to')) };
      return showSignIn({ formToken, to: destination(head.query.get('to')), notice: noticeText(head.query) });
    }),
    pages.openAct(
      '/sign-in',
      { summary: 'Sign in', fields: ['email', 'password', 'to'], statuses: [429] },
      async ({ head, formToken }, fields) => {
        if (!ways.hasPassword) throw passwordsAreOff();
        const to = destination(fields.get('to'));
        const page = (faults: readonly FormFault[]) =>
          showSignIn({ formToken, to, faults, email: fields.get('email') ?? '' });
        const form = checkForm(SignInForm, Object.fromEntries(fields), LABELS);
        if (!form.ok) return { ...(await page(form.faults)), status: 422 };
        const result = await check({ ...form.value, head });
        switch (result.outcome) {
          case 'refused':
            return { ...(await page(REFUSED)), status: 422 };
          case 'limited': {
            const { retryAfterS } = result;
            return { ...(await page([tooManyAttempts('email', retryAfterS)])), status: 429, retryAfterS };
          }
          case 'needs-code':
            return codePage({ formToken, to, ticket: secondStep.begin(result.signIn, formToken) });
          case 'signed-in':
            return { goTo: to, cookies: [await sessions.start(head, result.user), result.deviceCookie] };
        }
      },
    ),
    ...codeRoutes({ pages, sessions, secondStep, destination, ways, showSignIn }),
    ...passkeySignInRoutes({ ...deps, destination, showSignIn }),
    pages.signOut('/sign-out', 'Sign out', async ({ head, session }) => {
      await sessions.end(head);
      if (session !== null) {
        const { tenantId, email } = session.user;
        await store.note(tenantId, 'signed out', email, email);
      }
      return { goTo: '/sign-in?done=signed-out', cookies: [clearCookie(SESSION_COOKIE)] };
    }),
  ];
}
