import { ServiceError, type RequestHead } from '@cer/http-service';
import { isRandomToken } from '../account/random-token.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import { clearCookie, flowValue, OIDC_COOKIE, setFlowCookie } from '../web/cookies.js';
import type { Pages } from '../web/pages.js';
import type { Sessions } from '../web/sessions.js';
import type { OidcChecks, OidcProvider } from './provider.js';
import { roleFrom, type RoleMapping } from './role-mapping.js';

/** Time for signing in at the provider, in seconds. */
const FLOW_S = 600;

/** Sign-in by the provider of an organisation. */
export interface OidcSignIn {
  readonly provider: OidcProvider;
  /** Name of the tenant whose people sign in there. */
  readonly tenantName: string;
  readonly roles: RoleMapping;
  /** Maximum age of a session, in ms: then the provider is asked again. */
  readonly sessionMs: number;
}

export interface OidcRoutesDeps {
  readonly pages: Pages;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly oidc: OidcSignIn | undefined;
}

/** Signing in at the provider; accounts are made at the first sign-in. @see docs/dashboard.md, "Single sign-on" */
export function oidcRoutes({ pages, sessions, store, oidc }: OidcRoutesDeps): readonly DescribedRoute[] {
  if (oidc === undefined) return [];
  const { provider, tenantName, roles, sessionMs } = oidc;
  return [
    pages.openView('/sign-in/oidc', 'Leads to the sign-in provider', async () => {
      const { url, checks } = await provider.begin();
      return { goTo: url, cookies: [setFlowCookie(textOf(checks), FLOW_S)] };
    }),
    pages.openView(
      '/sign-in/oidc/callback',
      { summary: 'Back from the sign-in provider', query: ['code', 'state'] },
      async ({ head }) => {
        const checks = checksIn(head);
        if (checks === null) {
          throw new ServiceError({
            code: 'FORBIDDEN',
            message: 'This browser has not started this sign-in, or too long ago. Start it again.',
          });
        }
        const { claims, ...person } = await provider.finish(head.query, checks);
        const role = roleFrom(claims, roles);
        const { tenantId } = await store.tenants.create({ name: tenantName }, 'sign-in provider');
        const user = await store.users.signInByProvider({ ...person, tenantId, role });
        if (user === null) {
          throw new ServiceError({
            code: 'FORBIDDEN',
            message: 'You are known at the provider, and have no access here. Ask your administrator.',
          });
        }
        const cookie = await sessions.start(head, user, sessionMs);
        return { goTo: '/', cookies: [cookie, clearCookie(OIDC_COOKIE)] };
      },
    ),
  ];
}

function textOf({ state, nonce, verifier }: OidcChecks): string {
  return [state, nonce, verifier].join('.');
}

function checksIn(head: Pick<RequestHead, 'headers'>): OidcChecks | null {
  const [state = '', nonce = '', verifier = '', ...rest] = flowValue(head)?.split('.') ?? [];
  return [state, nonce, verifier].every(isRandomToken) && rest.length === 0 ? { state, nonce, verifier } : null;
}
