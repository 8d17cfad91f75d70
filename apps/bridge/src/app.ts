import {
  ByteBudget,
  createRouter,
  databaseChecks,
  notFoundPage,
  unavailable,
  type ReadinessCheck,
  type Route,
  type TrustedProxies,
} from '@cer/http-service';
import { openApiRoute } from '@cer/http-service/openapi';
import type { Logger, Metrics } from '@cer/http-service/process';
import { notFoundContent, stateRoutes, type SessionTimes } from '@cer/pages';
import express, { type Express } from 'express';
import type { NodeConnection } from './attestation-node/connection.js';
import type { NodeKeys } from './attestation-node/node-keys.js';
import { SESSION_COOKIE } from './browser-sessions/session-cookie.js';
import { sessionRoutes } from './browser-sessions/session-routes.js';
import { createSessions } from './browser-sessions/sessions.js';
import type { BridgeLimits } from './config.js';
import { cachedKeys } from './control-plane/cached-keys.js';
import type { ControlPlane } from './control-plane/control-plane.js';
import { createGate } from './control-plane/gate.js';
import type { UsageReports } from './control-plane/usage-reports.js';
import { presentError, STATUS, translateError } from './errors.js';
import type { HandoffKeys } from './handoff/handoff-keys.js';
import { executionRoutes } from './ingest/executions/execution-routes.js';
import { otlpRoutes } from './ingest/otlp/otlp-routes.js';
import { outcomeRecorder } from './ingest/record-outcomes.js';
import { requestRate } from './ingest/request-rate.js';
import { documentOptions } from './openapi/document-options.js';
import type { DescribedRoute } from './openapi/route-description.js';
import type { Store } from './store/index.js';
import { readAssets, type Assets } from './web/assets.js';
import { pageResponse } from './web/document.js';
import { pageRoutes } from './web/page-routes.js';

/** The part of the bytes in memory that one tenant may have. */
const SHARE_OF_TENANT = 1 / 2;

export interface BridgeDeps {
  readonly store: Store;
  readonly controlPlane: ControlPlane;
  readonly usage: UsageReports;
  /** Limits that the bridge applies before it asks the node. */
  readonly refusals: UsageReports;
  readonly node: NodeConnection;
  readonly nodeKeys: NodeKeys;
  readonly handoffKeys: HandoffKeys;
  /** This bridge's origin: where its pages' requests come from, and whom handoff tokens are for. */
  readonly publicUrl: string;
  /** The dashboard's origin: issuer of handoff tokens, and where pages link to. */
  readonly dashboardUrl: string;
  readonly verifyUrl: string | undefined;
  readonly sessionTimes: SessionTimes;
  /** Folder with the files of the pages. */
  readonly assetFolder: string;
  /** Aborts when this instance stops, so that streams to pages end. */
  readonly stopping: AbortSignal;
  readonly limits: BridgeLimits;
  readonly trustedProxies: TrustedProxies | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly now: () => Date;
}

/** The evidence bridge as an Express app; it does not listen. */
export function createApp(deps: BridgeDeps): Express {
  const { logger, metrics, trustedProxies, publicUrl, dashboardUrl } = deps;
  const assets = readAssets(deps.assetFolder);
  const frame = { assets: assets.paths, publicUrl, dashboardUrl, path: '', session: null };
  const notFound = notFoundPage(pageResponse(notFoundContent('the bridge'), frame));
  const errors = { statusOf: STATUS, translate: translateError, presentError };
  return express()
    .disable('x-powered-by')
    .use(createRouter(bridgeRoutes(deps, assets), { logger, metrics, trustedProxies, ...errors, notFound }));
}

/** All routes of the bridge, as data: a test compares them with what each caller may do. */
export function bridgeRoutes(deps: BridgeDeps, assets: Assets): readonly Route[] {
  const { store, controlPlane, limits, logger, metrics, now } = deps;
  const findKey = cachedKeys((keyHash) => controlPlane.findKey(keyHash));
  const gate = createGate(findKey);
  const takeRequest = requestRate(store.limits, now);
  const byteBudget = new ByteBudget({
    totalBytes: limits.bytesAtOnce,
    share: SHARE_OF_TENANT,
    refuse: () => unavailable('Too much is being sent at once: retry'),
  });
  const sessions = createSessions({ store: store.sessions, controlPlane, times: deps.sessionTimes, now });
  const handoffRules = {
    issuer: deps.dashboardUrl,
    audience: new URL(deps.publicUrl).host,
    keys: deps.handoffKeys,
    now,
  };
  const recordDeps = { ingests: store.ingests, usage: deps.usage, refusals: deps.refusals, logger, now };
  const described: readonly DescribedRoute[] = [
    ...executionRoutes({
      ...deps,
      ...limits,
      gate,
      takeRequest,
      byteBudget,
      record: outcomeRecorder(recordDeps, 'executions'),
    }),
    ...otlpRoutes({
      ...deps,
      ...limits,
      gate,
      takeRequest,
      byteBudget,
      traces: store.traces,
      limitStore: store.limits,
      ingests: store.ingests,
      record: outcomeRecorder(recordDeps, 'otlp'),
    }),
    ...sessionRoutes({ ...deps, sessions, handoffRules }),
    ...pageRoutes({ ...deps, sessions, ingests: store.ingests, assets }),
    ...stateRoutes('The bridge', readinessChecks(deps), metrics),
  ];
  return [...described, openApiRoute('The bridge', documentOptions(SESSION_COOKIE), described), ...assets.routes];
}

function readinessChecks({ store, nodeKeys, controlPlane }: BridgeDeps): readonly ReadinessCheck[] {
  return [
    ...databaseChecks(store),
    ['the attestation node does not answer', () => nodeKeys.keySetWith(null)],
    // A well-formed hash that belongs to no key: the check passes when the control plane answers.
    ['the control plane does not answer', () => controlPlane.findKey('0'.repeat(64))],
  ];
}
