import { afterEach, describe, expect, it } from '@jest/globals';
import type { PresentError } from '../answers/error-shaper.js';
import { ok } from '../handler/handler.js';
import { silentLogger } from '../telemetry/logger.js';
import { createRouter } from '../routing/router.js';
import { serve, type RunningServer } from './serve.js';
import { connectRaw } from '../testing/index.js';

let server: RunningServer | undefined;
afterEach(() => server?.close());

async function answerTo(head: string, presentError?: PresentError): Promise<string> {
  const logger = silentLogger();
  const routes = [{ method: 'GET', path: '/', handler: async () => ok({ root: true }) }] as const;
  server = await serve(createRouter(routes, { logger }), {
    host: '127.0.0.1',
    port: 0,
    logger,
    ...(presentError && { presentError }),
  });
  const raw = await connectRaw(server.url);
  raw.send(`${head}\r\n`);
  return raw.ended();
}

describe('a request that violates HTTP', () => {
  it.each([
    ['GET / HTTP/1.1\r\n', 'host: is required'],
    ['GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n', 'host: must be given once'],
    ['GET / HTTP/1.1\r\nHost: a\r\naccept: x\r\nhOST: a\r\n', 'host: must be given once'],
    ['GET / HTTP/1.0\r\nhost: a\r\nhost: b\r\n', 'host: must be given once'],
    ['GET http://a/ HTTP/1.1\r\nhost: a\r\nhost: b\r\n', 'host: must be given once'],
    ['GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nexpect: 100-continue\r\n', 'host: must be given once'],
    ['GET / HTTP/1.1\r\nhost: a\r\nexpect: the unexpected\r\n', 'expect: must be 100-continue'],
  ])('is refused like any other fault: %j', async (head, fault) => {
    const answer = await answerTo(head);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    const requestId = /x-request-id: ([0-9a-f-]{36})\r\n/.exec(answer)?.[1];
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: 'VALIDATION_ERROR',
      message: fault,
      details: [fault],
      requestId,
    });
  });

  it.each(['CONNECT a:1 HTTP/1.1\r\nhost: a\r\n', 'GET / HTTP/1.1\r\n', 'GET /\r\n', 'not HTTP\r\n'])(
    'is answered in the error shape of the service: %j',
    async (head) => {
      const answer = await answerTo(head, ({ code }) => ({ error: `a sentence for ${code}` }));
      const code = head.startsWith('CONNECT') ? 'METHOD_NOT_ALLOWED' : 'VALIDATION_ERROR';
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ error: `a sentence for ${code}` });
    },
  );

  it.each(['GET / HTTP/1.0\r\n', 'GET http://a HTTP/1.1\r\nhost: a\r\nconnection: close\r\n'])(
    'may be unusual but valid: %j',
    async (head) => {
      expect(await answerTo(head)).toContain('{"root":true}');
    },
  );
});
