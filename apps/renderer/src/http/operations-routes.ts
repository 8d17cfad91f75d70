import { json, ok, type Route } from '@cer/http-service';
import { metricsHandler, type Metrics } from '@cer/http-service/process';
import type { Engine } from '../engine.js';

export interface OperationsRoutesDeps {
  readonly engine: () => Engine | string;
  readonly metrics: Metrics;
}

/** `/health`: the process answers. `/ready`: it can render. `/metrics`: Prometheus metrics. */
export function operationsRoutes({ engine, metrics }: OperationsRoutesDeps): readonly Route[] {
  return [
    { method: 'GET', path: '/health', handler: async () => ok({ ok: true }) },
    {
      method: 'GET',
      path: '/ready',
      handler: async () => {
        const state = engine();
        const reason = typeof state === 'string' ? state : state.host.fault();
        if (typeof state === 'string' || reason !== undefined) return json(503, { ready: false, reason });
        return ok({ ready: true, rendererVersion: state.rendererVersion, sdkVersion: state.sdkVersion });
      },
    },
    { method: 'GET', path: '/metrics', handler: metricsHandler(metrics) },
  ];
}
