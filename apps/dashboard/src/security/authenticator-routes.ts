import { ServiceError } from '@cer/http-service';
import { rememberDevice } from '../auth/known-device.js';
import { deviceAccount } from '../auth/second-step.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { SecretBox } from '../secrets/secret-box.js';
import type { Store, User } from '../store/index.js';
import { newRecoveryCodes, recoveryCodeHash } from '../totp/recovery-codes.js';
import { newTotpSecret, sixDigits, stepOfCode } from '../totp/totp.js';
import type { FormFault } from '../web/form.js';
import type { Pages, SignedIn } from '../web/pages.js';
import { FORM_ID, makeOnce, sentForm } from '../web/sent-once.js';
import type { Sessions } from '../web/sessions.js';
import { addAuthenticatorPage, recoveryCodesPage } from './authenticator-pages.js';
import { refuseOldSession } from './recent-sign-in.js';

/** Time for adding the app, in ms. */
const ADDING_MS = 15 * 60_000;
const WRONG: readonly FormFault[] = [
  { field: 'code', sentence: 'The code is not right. Check the clock of your phone, and enter the next code.' },
];

export interface AuthenticatorRoutesDeps {
  readonly pages: Pages;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly secretBox: SecretBox | undefined;
  /** Whether passwords are accepted at sign-in. */
  readonly hasPassword: boolean;
  readonly now: () => Date;
}

/** @returns why the user cannot add an authenticator app; null when it is offered */
export function authenticatorRefusal(
  { hasPassword, secretBox }: Pick<AuthenticatorRoutesDeps, 'hasPassword' | 'secretBox'>,
  user: User,
): string | null {
  if (!hasPassword || !user.hasPassword) {
    return 'Not offered: you do not sign in with a password here. Your organisation decides about a second step.';
  }
  return secretBox === undefined ? 'Not offered: the operator of this service has not set SECRETS_KEY_FILE.' : null;
}

/** Adding and removing the authenticator app of the person who is signed in. */
export function authenticatorRoutes(deps: AuthenticatorRoutesDeps): readonly DescribedRoute[] {
  const { pages, sessions, store, now } = deps;

  const offeredBox = (user: User): SecretBox => {
    const refusal = authenticatorRefusal(deps, user);
    if (deps.secretBox === undefined || refusal !== null) {
      throw new ServiceError({ code: 'FORBIDDEN', message: refusal ?? 'Authenticator apps are not offered.' });
    }
    return deps.secretBox;
  };
  const secretIn = (box: SecretBox, { userId }: User, field: string): string | null => {
    const [keyId = '', sealed = ''] = field.split('.');
    const [until = '', secret = ''] =
      box.open('authenticator being added', userId, { keyId, sealed })?.split('.') ?? [];
    return Number(until) > now().getTime() ? secret : null;
  };

  return [
    pages.act(
      '/security/authenticator',
      'person',
      'Begin adding an authenticator app',
      async ({ session, formToken }) => {
        refuseOldSession(session, now());
        const { user } = session;
        const secret = newTotpSecret();
        const until = now().getTime() + ADDING_MS;
        const { keyId, sealed } = offeredBox(user).seal('authenticator being added', user.userId, `${until}.${secret}`);
        return addAuthenticatorPage({ formToken, email: user.email, secret, sealed: `${keyId}.${sealed}` });
      },
    ),
    pages.act(
      '/security/authenticator/confirm',
      'person',
      { summary: 'Add an authenticator app', fields: ['sealed', 'code'] },
      async (visitor, fields) => {
        refuseOldSession(visitor.session, now());
        const { user } = visitor.session;
        const box = offeredBox(user);
        const sealed = fields.get('sealed') ?? '';
        const secret = secretIn(box, user, sealed);
        if (secret === null) {
          throw new ServiceError({ code: 'FORBIDDEN', message: 'That took too long. Start adding the app again.' });
        }
        const digits = sixDigits(fields.get('code') ?? '');
        const step = digits === null ? null : stepOfCode(secret, digits, now());
        if (step === null) {
          const { formToken } = visitor;
          return {
            ...addAuthenticatorPage({ formToken, email: user.email, secret, sealed, faults: WRONG }),
            status: 422,
          };
        }
        const codes = newRecoveryCodes();
        const stored = box.seal('authenticator', user.userId, secret);
        if (!(await store.authenticators.add(user, stored, step, hashesOf(user, codes)))) throw changedConcurrently();
        // Its page is not framed: the frame's form belongs to the session that has just ended.
        return { ...recoveryCodesPage(codes), isFramed: false, cookies: await newCookies(visitor) };
      },
    ),
    pages.act(
      '/security/recovery-codes',
      'person',
      { summary: 'Make new recovery codes', fields: [FORM_ID] },
      async ({ session }, fields) => {
        refuseOldSession(session, now());
        const codes = newRecoveryCodes();
        const { user } = session;
        const isReplaced = await makeOnce(
          () => store.authenticators.replaceRecoveryCodes(user, hashesOf(user, codes), sentForm(fields, now())),
          'made the codes that were shown then. If you have not kept them, make new ones on the page "Your sign-in".',
        );
        if (!isReplaced) throw changedConcurrently();
        return recoveryCodesPage(codes);
      },
    ),
    pages.act('/security/authenticator/remove', 'person', 'Remove the authenticator app', async ({ session }) => {
      refuseOldSession(session, now());
      if (!(await store.authenticators.remove(session.user))) throw changedConcurrently();
      return { goTo: '/security?done=authenticator-removed' };
    }),
  ];

  async function newCookies({ head, session }: SignedIn): Promise<readonly string[]> {
    const found = await store.users.findForLogin(session.user.email);
    const authenticator = await store.authenticators.find(session.user.userId);
    if (found === null) throw changedConcurrently();
    const cookie = await sessions.start(head, found.user);
    if (found.passwordHash === null) return [cookie];
    return [cookie, rememberDevice(deviceAccount(found.user, found.passwordHash, authenticator), now())];
  }
}

function hashesOf({ userId }: User, codes: readonly string[]): readonly string[] {
  return codes.flatMap((code) => recoveryCodeHash(userId, code) ?? []);
}

function changedConcurrently(): ServiceError {
  const message = 'Your authenticator app was added or removed in another window. Open the page again.';
  return new ServiceError({ code: 'FORBIDDEN', message });
}
