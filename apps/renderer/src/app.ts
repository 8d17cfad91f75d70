import type { RequestListener } from 'node:http';
import { createRouter, hotRoutes, type Route } from '@cer/http-service';
import { createMetrics, type Logger, type Metrics } from '@cer/http-service/process';
import express from 'express';
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
const SLOW_PART_OF_DEADLINE = 5;

/** The renderer as a listener; sketches are answered before Express, which serves the operator's routes. */
export function createApp(deps: AppDeps): RequestListener {
  const metrics = createMetrics({ process: true });
  const { sketches, operations } = rendererRoutes(deps, metrics);
  const options = { logger: deps.logger, metrics, statusOf: RENDER_STATUS };
  return hotRoutes(sketches, express().disable('x-powered-by').use(createRouter(operations, options)), options);
}

/** All routes of the renderer, as data: a test compares them with what each caller may do. */
export function rendererRoutes(
  { config, logger, engine }: AppDeps,
  metrics: Metrics,
): { readonly sketches: readonly Route[]; readonly operations: readonly Route[] } {
  const queue = createFairQueue({
    slots: config.concurrency,
    loopSlots: Math.max(1, config.concurrency - 1),
    maxRunningPerTenant: Math.max(1, config.concurrency - 1),
    slowStillMs: config.stillDeadlineMs / SLOW_PART_OF_DEADLINE,
    maxWaiting: config.maxWaiting,
    maxWaitingStillsPerTenant: MAX_WAITING_STILLS_PER_TENANT,
    maxWaitingLoopsPerTenant: MAX_WAITING_LOOPS_PER_TENANT,
    maxRunningLoopsPerTenant: 1,
  });
  const renderSeconds = createRenderSeconds(config.renderSecondsPerHour);
  const onJob = registerRenderMetrics(metrics, queue, engine);
  const renderer = createRenderer({ engine, queue, renderSeconds, config, logger, onJob });
  return {
    sketches: sketchRoutes({ renderer, engine, config, logger }),
    operations: operationsRoutes({ engine, metrics }),
  };
}
