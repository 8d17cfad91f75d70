import { createMetrics, mount, type Logger } from '@cer/http-service';
import express, { type Express } from 'express';
import type { RendererConfig } from './config.js';
import type { Engine } from './engine.js';
import { RENDER_STATUS } from './errors.js';
import { operationsRoutes } from './http/operations-routes.js';
import { sketchRoutes } from './http/sketch-routes.js';
import { createFairQueue } from './queue/fair-queue.js';
import { createRenderSeconds } from './queue/render-seconds.js';
import { registerRenderMetrics } from './render-metrics.js';
import { createRenderer } from './renderer.js';

export interface AppDeps {
  readonly config: RendererConfig;
  readonly logger: Logger;
  /** The engine, or why renders are refused. */
  readonly engine: () => Engine | string;
}

const MAX_WAITING_STILLS_PER_TENANT = 16;
const MAX_WAITING_LOOPS_PER_TENANT = 2;

/** The whole HTTP surface; does not listen. */
export function createApp({ config, logger, engine }: AppDeps): Express {
  const metrics = createMetrics({ process: true });
  const queue = createFairQueue({
    slots: config.concurrency,
    loopSlots: Math.max(1, config.concurrency - 1),
    maxWaiting: config.maxWaiting,
    maxWaitingStillsPerTenant: MAX_WAITING_STILLS_PER_TENANT,
    maxWaitingLoopsPerTenant: MAX_WAITING_LOOPS_PER_TENANT,
    maxRunningLoopsPerTenant: 1,
  });
  const renderSeconds = createRenderSeconds(config.renderSecondsPerHour);
  const onJob = registerRenderMetrics(metrics, queue, engine);
  const renderer = createRenderer({ engine, queue, renderSeconds, config, logger, onJob });
  const app = express();
  mount(app, [...operationsRoutes({ engine, metrics }), ...sketchRoutes({ renderer, engine, config, logger })], {
    logger,
    metrics,
    statusOf: RENDER_STATUS,
  });
  return app;
}
