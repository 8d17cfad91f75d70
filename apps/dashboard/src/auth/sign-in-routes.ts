import { ServiceError, type Route } from '@cer/http-service';
import { z } from 'zod';
import { EmailAddress } from '../account/person.js';
import { GivenPassword } from '../passwords/password-rules.js';
import { clearCookie, SESSION_COOKIE } from '../web/cookies.js';
import { checkForm, type FormFault } from '../web/form.js';
import { noticeText } from '../web/notices.js';
import type { Pages } from '../web/pages.js';
import type { Sessions } from '../web/sessions.js';
import { signInPage, type SignInWays } from './sign-in-page.js';
import { signIn, type SignInDeps } from './sign-in.js';

export interface SignInRoutesDeps extends SignInDeps {
  readonly pages: Pages;
  readonly sessions: Sessions;
  /** Destinations allowed after signing in; any other leads to the overview. */
  readonly destinations: readonly string[];
  readonly ways: SignInWays;
}

const SignInForm = z.object({ email: EmailAddress, password: GivenPassword });
const LABELS = { email: 'E-mail address', password: 'Password' };
const REFUSED: readonly FormFault[] = [
  { field: 'email', sentence: 'The e-mail address or the password is not right.' },
];

/** Signing in and out. */
export function signInRoutes(deps: SignInRoutesDeps): readonly Route[] {
  const { pages, sessions, store, destinations, ways } = deps;
  const check = signIn(deps);
  const destination = (wanted: string | null): string => destinations.find((path) => path === wanted) ?? '/';

  return [
    pages.openView('/sign-in', async ({ head, formToken }) => {
      if ((await sessions.of(head)) !== null) return { goTo: destination(head.query.get('to')) };
      return signInPage({ ways, formToken, to: destination(head.query.get('to')), notice: noticeText(head.query) });
    }),
    pages.openAct('/sign-in', async ({ head, formToken }, fields) => {
      if (!ways.hasPassword) throw passwordsAreOff();
      const to = destination(fields.get('to'));
      const page = (faults: readonly FormFault[]) =>
        signInPage({ ways, formToken, to, faults, email: fields.get('email') ?? '' });
      const form = checkForm(SignInForm, Object.fromEntries(fields), LABELS);
      if (!form.ok) return { ...page(form.faults), status: 422 };
      const result = await check({ ...form.value, head });
      switch (result.outcome) {
        case 'refused':
          return { ...page(REFUSED), status: 422 };
        case 'limited': {
          const minutes = Math.ceil(result.retryAfterS / 60);
          const sentence = `Too many attempts. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, or use a browser that has signed in to this account before.`;
          return { ...page([{ field: 'email', sentence }]), status: 429, retryAfterS: result.retryAfterS };
        }
        case 'signed-in':
          return { goTo: to, cookies: [await sessions.start(head, result.user), result.deviceCookie] };
      }
    }),
    pages.signOut('/sign-out', async ({ head, session }) => {
      await sessions.end(head);
      if (session !== null) {
        const { tenantId, email } = session.user;
        await store.note(tenantId, 'signed out', email, email);
      }
      return { goTo: '/sign-in?done=signed-out', cookies: [clearCookie(SESSION_COOKIE)] };
    }),
  ];
}

/** Passwords are switched off: people sign in at the provider. */
export function passwordsAreOff(): ServiceError {
  const message = 'Passwords are switched off here: sign in with your organisation.';
  return new ServiceError({ code: 'FORBIDDEN', message });
}
