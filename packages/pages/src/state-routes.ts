import { ok, readinessHandler, type ReadinessCheck } from '@cer/http-service';
import { object, TEXT, type Described, type RouteDescription } from '@cer/http-service/openapi';
import { metricsHandler, type Metrics } from '@cer/http-service/process';

type StateRoute = Described<RouteDescription<'public', never>>;

/**
 * `/health`, `/ready` and `/metrics` of a service.
 * @param group of these routes in the OpenAPI document
 */
export function stateRoutes(group: string, checks: readonly ReadinessCheck[], metrics: Metrics): StateRoute[] {
  const described = (summary: string, success: StateRoute['description']['success']): StateRoute['description'] => ({
    group,
    summary,
    access: 'public',
    success,
  });
  return [
    {
      method: 'GET',
      path: '/health',
      description: described('Whether it runs', { 200: { description: 'It runs.', schema: object({ status: TEXT }) } }),
      handler: async () => ok({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/ready',
      description: described('Whether it can serve', {
        200: { description: 'It can.', schema: object({ status: TEXT }) },
        503: {
          description: 'It cannot, and why.',
          schema: object({ status: TEXT, reasons: { type: 'array', items: TEXT } }),
        },
      }),
      handler: readinessHandler(checks),
    },
    {
      method: 'GET',
      path: '/metrics',
      description: described('Counters for Prometheus', {
        200: { description: 'The text format.', mediaTypes: ['text/plain'] },
      }),
      handler: metricsHandler(metrics),
    },
  ];
}
