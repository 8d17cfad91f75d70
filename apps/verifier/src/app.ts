import express, { type Express } from 'express';
import { createHash } from 'node:crypto';
import { mount, type Logger, type Route, type RouterOptions } from '@cer/http-service';
import { assetRoutes } from './pages/asset-routes.js';
import { imageRoutes } from './pages/image-routes.js';
import { keysRoute } from './pages/keys-route.js';
import { limitRequests } from './pages/limit-requests.js';
import { messagePage } from './pages/message-page.js';
import type { PageSettings } from './pages/page-response.js';
import { plainRoutes } from './pages/plain-routes.js';
import { recordRoutes } from './pages/record-routes.js';
import type { WebBuild } from './pages/web-build.js';
import type { NodeClient } from './record/node-client.js';
import { createRecordCheck } from './record/record-check.js';
import { TEXTS } from './view/texts.js';

export interface VerifierDeps {
  readonly node: NodeClient;
  readonly build: WebBuild;
  readonly publicUrl: string;
  readonly publicNodeUrl: string;
  readonly rateLimitPerMinute: number;
  readonly logger: Logger;
  readonly trustedProxies?: RouterOptions['trustedProxies'];
  readonly now: () => Date;
}

/** The routes of the verifier, as data. */
export function verifierRoutes(deps: VerifierDeps): Route[] {
  const { build, node, now } = deps;
  const settings = pageSettings(deps);
  const checkRecord = createRecordCheck(node, now);
  const routes = [
    ...recordRoutes({ settings, checkRecord, now }),
    ...imageRoutes({ settings, checkRecord }),
    ...plainRoutes({ settings, node }),
    keysRoute({ settings, node, now }),
    ...assetRoutes({ build, settings, checkRecord, node }),
  ];
  const isCheap = ({ path }: Route): boolean => path === '/health' || path === '/ready' || path === '/assets/:name';
  return [
    ...routes.filter(isCheap),
    ...limitRequests(
      routes.filter((route) => !isCheap(route)),
      deps.rateLimitPerMinute,
      settings,
    ),
  ];
}

/** The verifier as an Express app that listens nowhere yet. */
export function createApp(deps: VerifierDeps): Express {
  const app = express();
  const { logger, trustedProxies } = deps;
  const settings = pageSettings(deps);
  mount(app, verifierRoutes(deps), { logger, trustedProxies, passUnknownPaths: true });
  app.use((_request, response) => {
    const { status, headers, body } = messagePage(settings, null, 404, TEXTS.missing);
    response
      .writeHead(status, { ...headers, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      .end(body);
  });
  return app;
}

function pageSettings({ build, publicUrl, publicNodeUrl }: VerifierDeps): PageSettings {
  const buildId = createHash('sha256').update(JSON.stringify(build.assets)).update(build.offlineHtml).digest('hex');
  return { publicUrl, publicNodeUrl, assets: build.assets, buildId };
}
