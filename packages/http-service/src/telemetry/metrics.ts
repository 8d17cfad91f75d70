import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Handler } from '../handler/handler.js';

/** One answered request, as metrics and logs know it. */
export interface AnsweredRequest {
  /** The route's pattern, never the path: paths are unbounded. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface Metrics {
  /** Registry for the metrics of the app itself. */
  readonly registry: Registry;
  observe(answered: AnsweredRequest): void;
}

const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

export interface MetricsOptions {
  /** Also report the process itself: memory, CPU, event loop. */
  readonly process?: boolean;
}

/** A registry per app, with the latency of requests by route pattern, method and status class. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const latency = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request head to the end of the answer.',
    labelNames: ['route', 'method', 'status'],
    buckets: LATENCY_BUCKETS_S,
    registers: [registry],
  });
  const limited = new Counter({
    name: 'http_requests_limited_total',
    help: 'Requests that were answered 429.',
    labelNames: ['route', 'method'],
    registers: [registry],
  });
  if (options.process === true) collectDefaultMetrics({ register: registry });
  return {
    registry,
    observe({ route, method, status, durationMs }) {
      if (status === 429) limited.inc({ route, method });
      latency.observe({ route, method, status: `${Math.trunc(status / 100)}xx` }, durationMs / 1000);
    },
  };
}

/** Answers with the registry in Prometheus text format. */
export function metricsHandler({ registry }: Metrics): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': registry.contentType },
    body: await registry.metrics(),
  });
}
