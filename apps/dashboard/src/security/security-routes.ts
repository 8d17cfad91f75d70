import type { DescribedRoute } from '../openapi/route-description.js';
import { PASSKEY_SCRIPT } from '../web/assets.js';
import type { FormFault } from '../web/form.js';
import { moment } from '../web/moments.js';
import { noticeText } from '../web/notices.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { SignedIn } from '../web/pages.js';
import type { LiveSession } from '../web/sessions.js';
import { authenticatorSection } from './authenticator-pages.js';
import { authenticatorRefusal, authenticatorRoutes, type AuthenticatorRoutesDeps } from './authenticator-routes.js';
import { passkeySection } from './passkey-pages.js';
import { passkeyRefusal, passkeyRoutes, type PasskeyRoutesDeps } from './passkey-routes.js';
import { isRecent } from './recent-sign-in.js';
import { securityPage, type FormRefusal } from './security-page.js';

export type SecurityRoutesDeps = AuthenticatorRoutesDeps & PasskeyRoutesDeps;

/** The page about the reader's own ways of signing in. */
export function securityRoutes(deps: SecurityRoutesDeps): readonly DescribedRoute[] {
  const { pages, store, passkeys, now } = deps;

  const show = async (
    { session, formToken }: SignedIn,
    { notice, faults, given }: { notice?: string | undefined; faults?: readonly FormFault[]; given?: string } = {},
  ): Promise<PageAnswer> => {
    const { user } = session;
    const refusal = refusalOf(session, now());
    const hasForms = refusal === null;
    const authenticator = await store.authenticators.find(user.userId);
    const known = await store.passkeys.list(user.userId);
    const options = hasForms ? await passkeys?.registrationOptions(user, known, formToken) : undefined;
    const sections = [
      passkeySection({
        ...{ formToken, hasForms, faults, given, passkeys: known, options: options ?? null },
        notOffered: await passkeyRefusal(deps, user),
      }),
      authenticatorSection({
        ...{ formToken, hasForms, recoveryCodesLeft: authenticator?.recoveryCodesLeft ?? 0 },
        addedAt: authenticator === null ? null : moment(authenticator.addedAt),
        notOffered: authenticatorRefusal(deps, user),
      }),
    ];
    const script = options === undefined ? undefined : PASSKEY_SCRIPT.path;
    return { ...securityPage({ user, refusal, sections, notice }), script };
  };

  return [
    pages.view('/security', 'How the reader signs in', (visitor) =>
      show(visitor, { notice: noticeText(visitor.head.query) }),
    ),
    ...authenticatorRoutes(deps),
    ...passkeyRoutes(deps, (visitor, faults, given) => show(visitor, { faults, given })),
  ];
}

function refusalOf(session: LiveSession, now: Date): FormRefusal {
  if (session.tenant.status === 'suspended') return 'suspended';
  return isRecent(session, now) ? null : 'old session';
}
