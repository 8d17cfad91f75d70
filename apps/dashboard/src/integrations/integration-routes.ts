import { ServiceError } from '@cer/http-service';
import { mayAct } from '../account/role.js';
import type { SigningKeys } from '../jwks/signing-keys.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import type { Pages } from '../web/pages.js';
import { mintHandoffToken } from './handoff-token.js';
import { integrationsPage } from './integrations-page.js';

export interface IntegrationRoutesDeps {
  readonly pages: Pages;
  readonly store: Store;
  readonly signingKeys: SigningKeys;
  readonly publicUrl: string;
  readonly bridgeUrl: string | undefined;
  readonly nodeUrl: string | undefined;
  readonly now: () => Date;
}

/** The page of services that an account is used from, and the handoff to the bridge. @see docs/spec.md, "Evidence bridge: human path" */
export function integrationRoutes(deps: IntegrationRoutesDeps): readonly DescribedRoute[] {
  const { pages, store, signingKeys, publicUrl, bridgeUrl, nodeUrl, now } = deps;
  return [
    pages.view('/integrations', 'Services that the account is used from', async ({ session, formToken }) =>
      integrationsPage({
        formToken,
        tenant: session.tenant,
        mayConnect: mayAct(session.user, 'member'),
        bridgeUrl,
        nodeUrl,
      }),
    ),
    pages.act(
      '/integrations/connect',
      'member',
      'Go to the evidence bridge with a handoff token',
      async ({ session }) => {
        const { user, tenant } = session;
        if (bridgeUrl === undefined || !tenant.plan.bridge) {
          throw new ServiceError({ code: 'FORBIDDEN', message: 'The evidence bridge is not part of this account.' });
        }
        const token = mintHandoffToken({
          signer: signingKeys.signer(),
          issuer: publicUrl,
          bridgeUrl,
          tenantId: tenant.tenantId,
          userId: user.userId,
          now: now(),
        });
        await store.note(tenant.tenantId, 'bridge connected', user.email, user.email);
        return { goTo: `${bridgeUrl}/#handoff=${token}` };
      },
    ),
  ];
}
