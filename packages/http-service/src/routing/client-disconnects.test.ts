import { afterEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import express from 'express';
import { ok, type ServiceResponse } from '../handler/handler.js';
import { createMetrics } from '../telemetry/metrics.js';
import type { Route } from './route.js';
import { createRouter, hotRoutes } from './router.js';
import type { RouterOptions } from './router-options.js';
import { serve, type RunningServer, type ServeOptions } from '../process/serve.js';
import { connectRaw, recordedLog } from '../testing/index.js';
import type { SpanAttributes, Trace } from '../telemetry/trace.js';

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

interface Served {
  readonly url: string;
  readonly server: RunningServer;
  readonly lines: string[];
  /** Resolves with the log line that contains the text. */
  readonly line: (text: string) => Promise<string>;
}

async function served(
  routes: readonly Route[],
  options: Partial<RouterOptions> = {},
  times: Partial<ServeOptions> = {},
): Promise<Served> {
  const { logger, lines } = recordedLog();
  const router = createRouter(routes, { ...options, logger });
  const server = await serve(router, { host: '127.0.0.1', port: 0, ...times, logger });
  running.push(server);
  const line = async (text: string): Promise<string> => {
    for (;;) {
      const found = lines.find((candidate) => candidate.includes(text));
      if (found !== undefined) return found;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  return { url: server.url, server, lines, line };
}

const endless = (chunk: Buffer, onEnd: () => void = () => undefined): Route => ({
  method: 'GET',
  path: '/endless',
  handler: async (): Promise<ServiceResponse> => ({
    status: 200,
    headers: {},
    body: (async function* () {
      try {
        for (;;) {
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          yield chunk;
        }
      } finally {
        onEnd();
      }
    })(),
  }),
});

describe('a client that leaves', () => {
  it('during a streamed answer is counted as aborted', async () => {
    let released = false;
    const metrics = createMetrics();
    const route = endless(Buffer.from('line\n'), () => {
      released = true;
    });
    const { url, line } = await served([route], { metrics });
    const raw = await connectRaw(url);
    raw.send('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
    await raw.until('line');
    raw.socket.destroy();
    expect(JSON.parse(await line('"outcome":"aborted"'))).toMatchObject({ route: '/endless', status: 499 });
    expect(released).toBe(true);
    expect(await metrics.registry.metrics()).toContain('_count{route="/endless",method="GET",status="4xx"} 1');
  });

  it('before its answer is logged as aborted', async () => {
    let answer = (): void => undefined;
    const slow: Route = {
      method: 'GET',
      path: '/slow',
      handler: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve(ok({}));
          });
          answer();
        }),
    };
    const started = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { url, line } = await served([slow]);
    const raw = await connectRaw(url);
    raw.send('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await started;
    raw.socket.destroy();
    expect(JSON.parse(await line('"route":"/slow"'))).toMatchObject({ status: 499, outcome: 'aborted' });
  });
});

describe('a client that stops reading', () => {
  it('ends a stream and loses its connection', async () => {
    const { url, line } = await served([endless(Buffer.alloc(1024 * 1024))], { stallMs: 50 });
    const raw = await connectRaw(url);
    raw.socket.pause();
    raw.send('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(JSON.parse(await line('"route":"/endless"'))).toMatchObject({ status: 499, outcome: 'aborted' });
    raw.socket.destroy();
  });

  it('loses the connection of a large answer', async () => {
    const large: Route = {
      method: 'GET',
      path: '/large',
      handler: async () => ({ status: 200, headers: {}, body: Buffer.alloc(64 * 1024 * 1024) }),
    };
    const { url, server } = await served([large], { stallMs: 50 });
    const raw = await connectRaw(url);
    raw.socket.pause();
    raw.send('GET /large HTTP/1.1\r\nhost: a\r\n\r\n');
    // Closing waits for every connection with an answer in progress.
    await server.close();
    expect(raw.received().length).toBeLessThan(64 * 1024 * 1024);
    raw.socket.destroy();
  });
});

describe('a large answer', () => {
  const of = (path: string, body: string | Uint8Array): Route => ({
    method: 'GET',
    path,
    handler: async () => ({ status: 200, headers: {}, body }),
  });

  it.each([1, 2, 3])('arrives unchanged with any slice boundary (%d)', async (offset) => {
    const text = 'x'.repeat(offset) + '😀ä'.repeat(150_000);
    const bytes = Buffer.from(text);
    const { url, line } = await served([of('/text', text), of('/bytes', bytes)]);
    for (const path of ['/text', '/bytes']) {
      const answer = await fetch(url + path);
      expect(answer.headers.get('content-length')).toBe(String(bytes.length));
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(JSON.parse(await line(`"route":"${path}"`))).toMatchObject({ status: 200 });
    }
    const head = await fetch(`${url}/text`, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual([String(bytes.length), '']);
  });

  it('reaches a client that never sends its body', async () => {
    const { url } = await served([of('/large', 'x'.repeat(200_000))]);
    const raw = await connectRaw(url);
    raw.send('GET /large HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n');
    expect(await raw.ended()).toContain(`\r\n\r\n${'x'.repeat(200_000)}`);
  });

  it('is refused while earlier answers are unread', async () => {
    const mib = 1024 * 1024;
    const routes = [of('/large', Buffer.alloc(24 * mib)), of('/small', 'small')];
    const { url, line } = await served(routes, { answersAtOnceBytes: 50 * mib });
    const readers = await Promise.all([1, 2].map(() => connectRaw(url)));
    // One of them also announces a body and never sends it.
    for (const [place, raw] of readers.entries()) {
      raw.send(`GET /large HTTP/1.1\r\nhost: a\r\n${place === 0 ? 'content-length: 9\r\n' : ''}\r\n`);
      await new Promise((resolve) => raw.socket.once('data', resolve));
      raw.socket.pause();
    }
    const refused = await fetch(`${url}/large`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ error: 'SERVICE_UNAVAILABLE' });
    expect(await (await fetch(`${url}/small`)).text()).toBe('small');
    for (const { socket } of readers) socket.destroy();
    await line('"outcome":"aborted"');
    let answer = await fetch(`${url}/large`);
    for (let attempt = 0; answer.status === 503 && attempt < 100; attempt += 1) answer = await fetch(`${url}/large`);
    expect((await answer.arrayBuffer()).byteLength).toBe(24 * mib);
  });
});

describe('a large body', () => {
  it('is refused while earlier bodies are in memory', async () => {
    const mib = 1024 * 1024;
    const doors = new EventEmitter();
    const isInHand = once(doors, 'in hand');
    const isReleased = once(doors, 'released');
    const keep: Route = {
      method: 'POST',
      path: '/keep',
      bodyLimitBytes: 16 * mib,
      handler: async ({ body, headers }) => {
        if (headers['x-hold'] !== undefined) {
          doors.emit('in hand');
          await isReleased;
        }
        return ok({ bytes: body.length });
      },
    };
    const { url } = await served([keep], { bodiesAtOnceBytes: 4 * mib });
    const post = (bytes: number, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${url}/keep`, { method: 'POST', headers, body: Buffer.alloc(bytes) });
    const first = post(3 * mib, { 'x-hold': 'until released' });
    await isInHand;
    const refused = await post(2 * mib);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await (await post(mib)).json()).toEqual({ bytes: mib });
    doors.emit('released');
    expect(await (await first).json()).toEqual({ bytes: 3 * mib });
    expect(await (await post(8 * mib)).json()).toEqual({ bytes: 8 * mib });
  });
});

describe('closing', () => {
  it('aborts endless requests at its time limit', async () => {
    const { url, server, lines } = await served([endless(Buffer.from('line\n'))], {}, { drainTimeoutMs: 50 });
    const raw = await connectRaw(url);
    raw.send('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
    await raw.until('line');
    await server.close();
    await raw.ended();
    expect(lines.some((line) => line.includes('"connections":1'))).toBe(true);
  });
});

describe('headers that admit returns', () => {
  it('are on answers and later refusals', async () => {
    const admit = async (): Promise<Record<string, string>> => ({ 'ratelimit-remaining': '3' });
    const { url } = await served([
      { method: 'GET', path: '/good', admit, handler: async () => ok({}) },
      { method: 'GET', path: '/bad', admit, handler: () => Promise.reject(new Error('broken')) },
    ]);
    for (const [path, status] of [
      ['/good', 200],
      ['/bad', 500],
    ] as const) {
      const answer = await fetch(url + path);
      expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([status, '3']);
    }
  });
});

describe('hot routes', () => {
  it('are answered before Express, which gets other paths', async () => {
    const { logger } = recordedLog();
    const app = express();
    app.get('/behind', (_request, response) => {
      response.send('behind');
    });
    app.use(createRouter([], { logger }));
    const hot: Route = { method: 'GET', path: '/front', handler: async () => ok({ front: true }) };
    const door = hotRoutes([hot], app, { logger });
    const server = await serve(door, { host: '127.0.0.1', port: 0, logger });
    running.push(server);
    expect(await (await fetch(`${server.url}/front`)).json()).toEqual({ front: true });
    expect(await (await fetch(`${server.url}/behind`)).text()).toBe('behind');
    const unknown = await fetch(`${server.url}/neither`);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: 'NOT_FOUND' }]);
  });
});

describe('a traced request', () => {
  it('is one span without path or query', async () => {
    const spans: { name: string; attributes: SpanAttributes }[] = [];
    const trace: Trace = async (name, attributes, work) => {
      const span = { name, attributes };
      spans.push(span);
      return work((more) => {
        span.attributes = { ...span.attributes, ...more };
      });
    };
    const { url } = await served([{ method: 'GET', path: '/of/:name', handler: async () => ok({}) }], { trace });
    await (await fetch(`${url}/of/secret-name?secret=query`)).json();
    expect(spans).toMatchObject([
      { name: 'GET /of/:name', attributes: { 'http.route': '/of/:name', 'http.response.status_code': 200 } },
    ]);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });
});
