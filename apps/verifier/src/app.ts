import express, { type Express } from 'express';
import { createHash } from 'node:crypto';
import { createRouter, type Handler, type Route, type RouterOptions } from '@cer/http-service';
import { metricsHandler, type Logger, type Metrics } from '@cer/http-service/process';
import { assetRoutes } from './pages/asset-routes.js';
import type { LogPolicy } from '@cer/tlog';
import { embedRoutes } from './pages/embed-routes.js';
import { imageRoutes } from './pages/image-routes.js';
import { keysRoute } from './pages/keys-route.js';
import { logRoute } from './pages/log-route.js';
import { createRequestLimit } from './pages/limit-requests.js';
import { malformedQueryPage, messagePage } from './pages/message-page.js';
import type { PageSettings } from './pages/page-response.js';
import { plainRoutes } from './pages/plain-routes.js';
import { recordRoutes } from './pages/record-routes.js';
import { trailingSlashRoutes } from './pages/trailing-slash.js';
import type { WebBuild } from './pages/web-build.js';
import type { CheckLarge } from './record/large-check.js';
import type { NodeClient } from './record/node-client.js';
import { createRecordCheck } from './record/record-check.js';
import { TEXTS } from './view/texts.js';

/** These cost neither a look-up nor a verification, so no rate limit applies. */
const CHEAP_PATHS: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics', '/assets/:name']);

/** The policy under which this site judges logs, as text and read. */
export interface SiteLogPolicy {
  readonly text: string;
  readonly policy: LogPolicy;
}

export interface VerifierDeps {
  readonly node: NodeClient;
  readonly checkLarge: CheckLarge;
  readonly build: WebBuild;
  readonly publicUrl: string;
  readonly publicNodeUrl: string;
  readonly rateLimitPerMinute: number;
  /** Null: signatures of witnesses are not checked. */
  readonly logPolicy?: SiteLogPolicy | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly trustedProxies?: RouterOptions['trustedProxies'];
  readonly now: () => Date;
}

/** The verifier as an Express app that does not listen yet. */
export function createApp(deps: VerifierDeps): Express {
  const { logger, metrics, trustedProxies } = deps;
  const settings = pageSettings(deps);
  const limited = createRequestLimit(deps.rateLimitPerMinute, settings);
  const unknown: Handler = async () => messagePage(settings, null, 404, TEXTS.missing);
  const notFound = { handler: limited(unknown) };
  return express()
    .disable('x-powered-by')
    .use(createRouter(verifierRoutes(deps, settings, limited), { logger, metrics, trustedProxies, notFound }));
}

/** All routes of the verifier, as data: a test compares them with what each caller may do. */
export function verifierRoutes(
  deps: VerifierDeps,
  settings: PageSettings = pageSettings(deps),
  limited: (handler: Handler) => Handler = createRequestLimit(deps.rateLimitPerMinute, settings),
): Route[] {
  const { build, node, checkLarge, metrics, now, logPolicy = null } = deps;
  const checkRecord = createRecordCheck({ node, checkLarge, now, logPolicy: settings.logPolicy });
  const routes = [
    ...recordRoutes({ settings, checkRecord, now }),
    ...imageRoutes({ settings, checkRecord }),
    ...embedRoutes({ settings, checkRecord }),
    ...plainRoutes({ settings, node }),
    keysRoute({ settings, node, now }),
    logRoute({ settings, node, logPolicy: logPolicy?.policy ?? null, now }),
    ...assetRoutes({ build, settings, checkRecord, node }),
    { method: 'GET', path: '/metrics', handler: metricsHandler(metrics) } satisfies Route,
  ];
  const pages = routes.filter(({ path }) => !CHEAP_PATHS.has(path));
  return [...routes, ...trailingSlashRoutes(pages)].map((route): Route => {
    if (CHEAP_PATHS.has(route.path)) return route;
    // The limit is checked after the body, and a streamed body would arrive before it.
    if (route.body === 'stream') throw new Error('a route that reads a stream must be limited before its body');
    return { ...route, within: malformedQueryPage(settings), handler: limited(route.handler) };
  });
}

function pageSettings({ build, publicUrl, publicNodeUrl, logPolicy }: VerifierDeps): PageSettings {
  const text = logPolicy?.text ?? null;
  const built = createHash('sha256').update(JSON.stringify(build.assets)).update(build.offlineHtml);
  // A page also changes with the policy that it carries.
  const buildId = built.update(JSON.stringify(text)).digest('hex');
  return { publicUrl, publicNodeUrl, assets: build.assets, buildId, logPolicy: text };
}
