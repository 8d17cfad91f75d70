import {
  createRouter,
  databaseChecks,
  notFoundPage,
  type ReadinessCheck,
  type Route,
  type TrustedProxies,
} from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import { openApiRoute } from '@cer/http-service/openapi';
import type { Logger, Metrics } from '@cer/http-service/process';
import { notFoundContent, pageHeaders, stateRoutes, type SessionTimes } from '@cer/pages';
import express, { type Express } from 'express';
import { activityRoutes } from './activity/activity-routes.js';
import { alertRoutes } from './alerts/alert-routes.js';
import { createNodeWebhooks } from './alerts/node-webhooks.js';
import { keyRoutes } from './api-keys/key-routes.js';
import type { LoginLimits } from './auth/login-limits.js';
import { createSecondStep } from './auth/second-step.js';
import { signInRoutes } from './auth/sign-in-routes.js';
import { coverageRoutes } from './coverage/coverage-routes.js';
import { STATUS, translateError } from './errors.js';
import { integrationRoutes } from './integrations/integration-routes.js';
import { internalRoutes } from './introspection/internal-routes.js';
import type { LastUsed } from './introspection/last-used.js';
import { jwksRoutes } from './jwks/jwks-routes.js';
import type { SigningKeys } from './jwks/signing-keys.js';
import { linkRoutes } from './links/link-routes.js';
import { oidcRoutes, type OidcSignIn } from './oidc/oidc-routes.js';
import { documentOptions } from './openapi/document-options.js';
import type { DescribedRoute } from './openapi/route-description.js';
import { overviewRoutes } from './overview/overview-routes.js';
import type { PasswordHasher } from './passwords/password-hash.js';
import { createPasskeys } from './passkeys/passkeys.js';
import { relyingPartyOf } from './passkeys/relying-party.js';
import { createAskNode } from './records/ask-node.js';
import { createNodeRecords, type NodeRecords } from './records/node-records.js';
import { createReadLimits } from './records/read-limits.js';
import { createReaderKeys } from './records/reader-keys.js';
import { recordRoutes } from './records/record-routes.js';
import { reviewRoutes } from './reviews/review-routes.js';
import type { SecretBox } from './secrets/secret-box.js';
import { securityRoutes } from './security/security-routes.js';
import { shareRoutes } from './shares/share-routes.js';
import { sharedRoutes } from './shares/shared-routes.js';
import { settingsRoutes } from './settings/settings-routes.js';
import type { Store } from './store/index.js';
import { usageRoutes } from './usage/usage-routes.js';
import { userRoutes } from './users/user-routes.js';
import { ASSET_ROUTES } from './web/assets.js';
import { SESSION_COOKIE } from './web/cookies.js';
import { PLACES } from './web/document.js';
import { createPageResponder, type PageResponder } from './web/page-answer.js';
import { createPages } from './web/pages.js';
import { createTickets } from './web/tickets.js';
import { createSessions } from './web/sessions.js';

export interface AppDeps {
  readonly store: Store;
  readonly hasher: PasswordHasher;
  readonly loginLimits: LoginLimits;
  readonly signingKeys: SigningKeys;
  readonly lastUsed: LastUsed;
  readonly serviceToken: Secret<string>;
  /** Credential of operators' log collectors; absent: their route is closed. */
  readonly operatorToken?: Secret<string> | undefined;
  /** Seals the secrets of authenticator apps; absent: these are not offered. */
  readonly secretBox?: SecretBox | undefined;
  /** Absent: passwords only. */
  readonly oidc?: OidcSignIn | undefined;
  /** Whether passwords are accepted at sign-in. */
  readonly passwordSignIn?: boolean;
  readonly sessionTimes: SessionTimes;
  /** This dashboard's origin: where forms come from, and who issues handoff tokens. */
  readonly publicUrl: string;
  readonly bridgeUrl: string | undefined;
  readonly nodeUrl: string | undefined;
  readonly trustedProxies: TrustedProxies | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly now: () => Date;
}

/** All routes of the dashboard, as data: a test compares them with what each role may do. */
export function dashboardRoutes(deps: AppDeps): readonly Route[] {
  return routesAndHeaders(deps).routes;
}

/** The control plane as an Express app; it does not listen. */
export function createApp(deps: AppDeps): Express {
  const { logger, metrics, trustedProxies } = deps;
  const { routes, respond } = routesAndHeaders(deps);
  const errors = { statusOf: STATUS, translate: translateError };
  const notFound = notFoundPage(respond(notFoundContent('the overview')));
  return express()
    .disable('x-powered-by')
    .use(createRouter(routes, { logger, metrics, trustedProxies, ...errors, notFound }));
}

function routesAndHeaders(deps: AppDeps): { readonly routes: readonly Route[]; readonly respond: PageResponder } {
  const { store, publicUrl, bridgeUrl, nodeUrl, logger, metrics, now } = deps;
  const formAction = ["'self'", ...(bridgeUrl === undefined ? [] : [new URL(bridgeUrl).origin])];
  const headers = (hasScripts: boolean) => pageHeaders({ publicUrl, formAction, hasScripts });
  const respond = createPageResponder(headers(false), headers(true));
  const sessions = createSessions(store, deps.sessionTimes, now);
  const pages = createPages({ sessions, respond, logger, publicUrl });
  const { hasher, loginLimits: limits, signingKeys, lastUsed, serviceToken } = deps;
  const { passwordSignIn: hasPassword = true } = deps;
  const ways = { hasPassword, hasProvider: deps.oidc !== undefined };
  const tickets = createTickets(serviceToken, now);
  const secondStep = createSecondStep({ store, limits, tickets, secretBox: deps.secretBox, now });
  const relyingParty = relyingPartyOf(publicUrl);
  const passkeys = relyingParty === null ? null : createPasskeys(relyingParty, tickets);
  const destinations = PLACES.map(([path]) => path);
  const askNode = createAskNode(nodeUrl, createReaderKeys(store, now));
  const recordsOf = (): NodeRecords => createNodeRecords(askNode, createReadLimits(now));
  const nodeRecords = recordsOf();
  // The holders of links use up nothing of what the account's users may read.
  const sharedRecords = recordsOf();
  const described: readonly DescribedRoute[] = [
    ...signInRoutes({
      ...{ pages, sessions, store, hasher, limits, now, ways, destinations, secondStep, passkeys, logger },
    }),
    ...oidcRoutes({ pages, sessions, store, oidc: deps.oidc }),
    ...linkRoutes({ pages, store, sessions, hasher, secondStep, now, hasPassword }),
    ...overviewRoutes({ pages, store, now }),
    ...keyRoutes({ pages, store, now }),
    ...recordRoutes({ pages, store, nodeRecords, now, logger }),
    ...coverageRoutes({ pages, nodeRecords, store, now, logger }),
    ...reviewRoutes({ pages, store, nodeRecords, now, logger }),
    ...alertRoutes({ pages, store, nodeWebhooks: createNodeWebhooks(askNode), now, logger }),
    ...shareRoutes({ pages, store, publicUrl, now }),
    ...sharedRoutes({ pages, store, nodeRecords: sharedRecords, now, logger }),
    ...integrationRoutes({ pages, store, signingKeys, publicUrl, bridgeUrl, nodeUrl, now }),
    ...usageRoutes({ pages, store, now }),
    ...userRoutes({ pages, store, publicUrl, now, hasPassword }),
    ...settingsRoutes({ pages, store, nodeRecords, now, logger }),
    ...securityRoutes({
      ...{ pages, sessions, store, secretBox: deps.secretBox, hasPassword, passkeys, ways, logger, now },
    }),
    ...activityRoutes({ pages, store, operatorToken: deps.operatorToken }),
    ...jwksRoutes(signingKeys),
    ...internalRoutes({ store, lastUsed, now }, serviceToken),
    ...stateRoutes('The dashboard', readinessChecks(store, signingKeys), metrics),
  ];
  return {
    routes: [...described, openApiRoute('The dashboard', documentOptions(SESSION_COOKIE), described), ...ASSET_ROUTES],
    respond,
  };
}

function readinessChecks(store: Store, signingKeys: SigningKeys): readonly ReadinessCheck[] {
  return [...databaseChecks(store), ['the handoff keys cannot be read', async () => signingKeys.signer()]];
}
