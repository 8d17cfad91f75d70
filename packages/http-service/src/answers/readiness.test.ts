import { describe, expect, it } from '@jest/globals';
import { serve, silentLogger } from '../process.js';
import { createRouter } from '../routing/router.js';
import { readinessHandler, type ReadinessCheck } from './readiness.js';

const passes: ReadinessCheck = ['never given', async () => 'anything'];
const rejects = (reason: string): ReadinessCheck => [reason, () => Promise.reject(new Error('canary'))];

async function answerTo(
  checks: readonly ReadinessCheck[],
): Promise<{ readonly status: number; readonly body: unknown }> {
  const logger = silentLogger();
  const route = { method: 'GET', path: '/ready', handler: readinessHandler(checks, 50) } as const;
  const server = await serve(createRouter([route], { logger, statusOf: { NOT_FOUND: 404 } }), {
    host: '127.0.0.1',
    port: 0,
    logger,
  });
  const response = await fetch(`${server.url}/ready`);
  const body: unknown = await response.json();
  await server.close();
  return { status: response.status, body };
}

describe('readiness', () => {
  it('is given when every check passes', async () => {
    expect(await answerTo([passes, passes])).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it('names failed checks in their order', async () => {
    expect(await answerTo([rejects('one'), passes, rejects('two')])).toEqual({
      status: 503,
      body: { status: 'not ready', reasons: ['one', 'two'] },
    });
  });

  it('is checked once for concurrent requests', async () => {
    let checks = 0;
    let end = (): void => undefined;
    const check: ReadinessCheck = [
      'slow',
      () =>
        new Promise<void>((resolve) => {
          checks += 1;
          end = resolve;
        }),
    ];
    const ready = readinessHandler([check]);
    const request = {} as Parameters<typeof ready>[0];
    const answers = [ready(request), ready(request), ready(request)];
    end();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(checks).toBe(1);
    const later = ready(request);
    end();
    await later;
    expect(checks).toBe(2);
  });

  it('names a check that never ends', async () => {
    expect(await answerTo([passes, ['silent', () => new Promise(() => undefined)]])).toEqual({
      status: 503,
      body: { status: 'not ready', reasons: ['silent'] },
    });
  });
});
