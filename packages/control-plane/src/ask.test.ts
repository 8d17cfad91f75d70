import { json, ok, parseJsonBody, createRouter, type Route } from '@cer/http-service';
import { Secret } from '@cer/http-service/config';
import { serve, silentLogger } from '@cer/http-service/process';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CONTROL_PLANE_PATHS, controlPlaneAt } from './ask.js';

const TOKEN = 'service-credential';
const asked: unknown[] = [];
let plane: Awaited<ReturnType<typeof serve>>;

const echo = (path: string): Route => ({
  method: 'POST',
  path,
  mediaTypes: ['application/json'],
  handler: async (request) => {
    asked.push([path, request.headers['authorization'], parseJsonBody(request)]);
    return ok({ path });
  },
});

beforeAll(async () => {
  const routes: readonly Route[] = [
    ...Object.values(CONTROL_PLANE_PATHS).map(echo),
    { method: 'POST', path: `/down${CONTROL_PLANE_PATHS.key}`, handler: async () => json(503, {}) },
    {
      method: 'POST',
      path: `/moved${CONTROL_PLANE_PATHS.key}`,
      handler: async () => ({ ...json(307, {}), headers: { location: CONTROL_PLANE_PATHS.key } }),
    },
  ];
  const logger = silentLogger();
  plane = await serve(createRouter(routes, { logger }), { host: '127.0.0.1', port: 0, logger });
});
afterAll(() => plane.close());

it('a question goes to its route with the credential', async () => {
  const ask = controlPlaneAt(plane.url, new Secret(TOKEN));
  for (const about of ['key', 'session', 'usage'] as const) {
    const answer = await ask(about, { about });
    expect(await answer.json()).toEqual({ path: CONTROL_PLANE_PATHS[about] });
    expect(asked.pop()).toEqual([CONTROL_PLANE_PATHS[about], `Bearer ${TOKEN}`, { about }]);
  }
});

it('a refusal, a redirect and a cancelled question throw', async () => {
  const ask = (path: string) => controlPlaneAt(`${plane.url}${path}`, new Secret(TOKEN));
  await expect(ask('/down')('key', {})).rejects.toThrow('the control plane answered 503');
  await expect(ask('/moved')('key', {})).rejects.toThrow('fetch failed');
  await expect(ask('')('key', {}, AbortSignal.abort())).rejects.toThrow('aborted');
  expect(asked).toEqual([]);
});
