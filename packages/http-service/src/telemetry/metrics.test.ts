import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { ok } from '../handler/handler.js';
import { silentLogger } from './logger.js';
import { createMetrics, metricsHandler } from './metrics.js';
import type { Route } from '../routing/route.js';
import { createRouter } from '../routing/router.js';

describe('metrics', () => {
  it('count requests by pattern, method and status class', async () => {
    const metrics = createMetrics();
    const routes: readonly Route[] = [
      { method: 'GET', path: '/things/:id', handler: async () => ok({}) },
      { method: 'GET', path: '/metrics', handler: metricsHandler(metrics) },
    ];
    const app = express().use(createRouter(routes, { logger: silentLogger(), metrics }));
    await request(app).get('/things/secret-id');
    await request(app).get('/things/other-id');
    await request(app).get('/secret-path');
    const { text, headers } = await request(app).get('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('http_request_duration_seconds_count{route="/things/:id",method="GET",status="2xx"} 2');
    expect(text).toContain('http_request_duration_seconds_count{route="(unmatched)",method="ANY",status="4xx"} 1');
    expect(text).not.toMatch(/secret|other-id/);
  });

  it('do not grow with methods that a client invents', async () => {
    const metrics = createMetrics();
    const route: Route = { method: 'GET', path: '/a', handler: async () => ok({}) };
    const app = express().use(createRouter([route], { logger: silentLogger(), metrics }));
    await request(app).trace('/a');
    expect(await metrics.registry.metrics()).toContain('{route="/a",method="ANY",status="4xx"} 1');
  });

  it('belong to one app each', async () => {
    const [one, other] = [createMetrics({ process: true }), createMetrics()];
    one.observe({ route: '/a', method: 'GET', status: 200, durationMs: 5 });
    expect(await one.registry.metrics()).toMatch(/bucket\{le="0.005".*\} 1\n[^]*process_cpu/);
    expect(await other.registry.metrics()).not.toContain('route="/a"');
  });
});
