import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServiceResponse } from '../handler/handler.js';
import { ok } from '../handler/handler.js';
import { silentLogger } from '../telemetry/logger.js';
import type { Route } from '../routing/route.js';
import { createRouter } from '../routing/router.js';
import { serve, type RunningServer, type ServeOptions } from './serve.js';
import { connectRaw, recordedLog } from '../testing/index.js';

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function served(routes: readonly Route[], options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const logger = options.logger ?? silentLogger();
  const router = createRouter(routes, { logger });
  const server = await serve(router, { host: '127.0.0.1', port: 0, ...options, logger });
  running.push(server);
  return server;
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}

const bodies: string[] = [];
const keepBody: Route = {
  method: 'POST',
  path: '/keep',
  bodyLimitBytes: 8,
  handler: async ({ body }) => {
    bodies.push(Buffer.from(body).toString());
    return ok({ bytes: body.length });
  },
};

describe('bodies on the wire', () => {
  it('joins a chunked body', async () => {
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n');
    raw.send('2\r\nde\r\n0\r\n\r\n');
    expect(await raw.until('"bytes":5')).toContain('HTTP/1.1 200');
    raw.socket.destroy();
  });

  it('refuses a chunked body at its limit', async () => {
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n9\r\n123456789\r\n');
    const answer = await raw.until('PAYLOAD_TOO_LARGE');
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer.toLowerCase()).toContain('connection: close');
    raw.send('0\r\n\r\n');
    await raw.ended();
  });

  it('refuses an announced length over the limit at once', async () => {
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n');
    expect(await raw.until('PAYLOAD_TOO_LARGE')).toContain('HTTP/1.1 413');
    raw.send('123456789POST /keep HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n1');
    await raw.until('"bytes":1');
    raw.socket.destroy();
  });

  it('answers a huge announced length and ends the connection', async () => {
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999\r\n\r\n');
    await raw.until('PAYLOAD_TOO_LARGE');
    expect(await raw.ended()).toContain('HTTP/1.1 413');
  });

  it('never passes a truncated body to the handler', async () => {
    const { logger, lines } = recordedLog();
    const server = await served([keepBody], { logger });
    const before = bodies.length;
    const raw = await connectRaw(server.url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\ncontent-length: 8\r\n\r\nabc');
    raw.socket.end();
    await raw.ended();
    await server.close();
    expect(bodies).toHaveLength(before);
    expect(lines.join('')).not.toContain('"level":"error"');
  });

  it.each([
    ['content-length: abc'],
    ['content-length: -1'],
    ['content-length: 1\r\ncontent-length: 2'],
    ['content-length: 1\r\ntransfer-encoding: chunked'],
    ['transfer-encoding: chunked, gzip'],
  ])('answers 400 to %j with a request id', async (header) => {
    const before = bodies.length;
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send(`POST /keep HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n1`);
    const answer = await raw.ended();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}/);
    expect(answer).toContain('"error":"VALIDATION_ERROR"');
    expect(bodies).toHaveLength(before);
  });

  it('sends 100 Continue only for accepted bodies', async () => {
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n');
    await raw.until('100 Continue');
    raw.send('hi');
    await raw.until('"bytes":2');
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 99999999\r\n\r\n');
    const answer = await raw.until('PAYLOAD_TOO_LARGE');
    expect(answer.split('100 Continue')).toHaveLength(2);
    expect(await raw.ended()).toContain('connection: close');
  });

  it('answers 431 to endless and 408 to unfinished headers', async () => {
    const [patient, strict] = [await served([keepBody]), await served([keepBody], { headersTimeoutMs: 100 })];
    const [long, slow] = [await connectRaw(patient.url), await connectRaw(strict.url)];
    long.send(`GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n`);
    slow.send('GET / HTTP/1.1\r\nx: ');
    expect(await long.ended()).toContain('HEADERS_TOO_LARGE');
    expect(await slow.ended()).toContain('REQUEST_TIMEOUT');
  });

  it('accepts a target in absolute form', async () => {
    const raw = await connectRaw((await served([keepBody])).url);
    raw.send('POST http://a.example/keep?x HTTP/1.1\r\nhost: a.example\r\ncontent-length: 1\r\n\r\n1');
    await raw.until('"bytes":1');
    raw.socket.destroy();
  });
});

describe('streams', () => {
  const upper: Route = {
    method: 'POST',
    path: '/upper',
    body: 'stream',
    bodyLimitBytes: 100,
    handler: async ({ body }) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: (async function* () {
        for await (const chunk of body) yield Buffer.from(chunk).toString().toUpperCase();
      })(),
    }),
  };

  it('lets a handler answer before the body ends', async () => {
    const raw = await connectRaw((await served([upper])).url);
    raw.send('POST /upper HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await raw.until('ABC');
    raw.send('3\r\ndef\r\n0\r\n\r\n');
    await raw.until('DEF');
    await raw.until('0\r\n\r\n');
    raw.socket.destroy();
  });

  it('closes the connection when a stream fails', async () => {
    const raw = await connectRaw((await served([upper])).url);
    raw.send('POST /upper HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await raw.until('ABC');
    raw.send(`65\r\n${'x'.repeat(0x65)}\r\n`);
    expect(await raw.ended()).not.toContain('0\r\n\r\n');
  });

  it('pulls only as fast as the client reads', async () => {
    let pulled = 0;
    const left = gate();
    const endless: Route = {
      method: 'GET',
      path: '/endless',
      handler: async ({ signal }): Promise<ServiceResponse> => {
        signal.addEventListener('abort', left.open);
        return {
          status: 200,
          headers: {},
          body: (async function* () {
            try {
              for (;;) {
                pulled += 1;
                yield Buffer.alloc(1024 * 1024);
                await new Promise(setImmediate);
              }
            } finally {
              finished.open();
            }
          })(),
        };
      },
    };
    const finished = gate();
    const raw = await connectRaw((await served([endless])).url);
    raw.send('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
    await raw.until('200 OK');
    raw.socket.pause();
    let last = -1;
    while (last !== pulled) {
      last = pulled;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(pulled).toBeLessThan(200);
    raw.socket.destroy();
    await Promise.all([left.opened, finished.opened]);
  });
});

describe('closing', () => {
  it('finishes every accepted request, then runs onClose once', async () => {
    const [started, release] = [gate(), gate()];
    const order: string[] = [];
    const slow: Route = {
      method: 'GET',
      path: '/slow',
      handler: async () => {
        started.open();
        await release.opened;
        order.push('answered');
        return ok({ done: true });
      },
    };
    const server = await served([slow, keepBody], { onClose: () => void order.push('closed') });
    const [busy, idle, silent] = [
      await connectRaw(server.url),
      await connectRaw(server.url),
      await connectRaw(server.url),
    ];
    idle.send('POST /keep HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n1');
    await idle.until('"bytes":1');
    busy.send('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await started.opened;
    const closed = Promise.all([server.close(), server.close()]);
    await Promise.all([idle.ended(), silent.ended()]);
    await expect(connectRaw(server.url)).rejects.toThrow();
    expect(order).toEqual([]);
    release.open();
    expect(await busy.ended()).toContain('"done":true');
    await closed;
    expect(order).toEqual(['answered', 'closed']);
  });

  it('answers a request that meets the start of closing, and ends its connection', async () => {
    const server = await served([keepBody]);
    const [idle, unused] = [await connectRaw(server.url), await connectRaw(server.url)];
    const request = 'POST /keep HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n1';
    idle.send(request);
    await idle.until('"bytes":1');
    const closed = server.close();
    for (const connection of [idle, unused]) connection.send(request);
    expect((await idle.ended()).match(/ 200 OK|connection: [\w-]+/gi)).toEqual([
      ...[' 200 OK', 'Connection: keep-alive'],
      ...[' 200 OK', 'Connection: close'],
    ]);
    expect(await unused.ended()).toContain('Connection: close');
    await closed;
  });

  it('reads the rest of a request whose head was accepted', async () => {
    const server = await served([keepBody]);
    const raw = await connectRaw(server.url);
    raw.send('POST /keep HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n');
    await raw.until('100 Continue');
    const closed = server.close();
    raw.send('late');
    expect(await raw.ended()).toContain('"bytes":4');
    await closed;
  });

  it('does not wait for an incomplete request', async () => {
    const server = await served([keepBody], { headersTimeoutMs: 2000, requestTimeoutMs: 2000 });
    const [head, body] = [await connectRaw(server.url), await connectRaw(server.url)];
    body.send('POST /keep HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n');
    await body.until('100 Continue');
    head.send('GET /keep HT');
    await server.close();
    await Promise.all([head.ended(), body.ended()]);
  });
});

describe('listening', () => {
  it('reports the port in use', async () => {
    const { url } = await served([]);
    const { port } = new URL(url);
    await expect(served([], { port: Number(port) })).rejects.toThrow(`PORT ${port} is in use`);
  });

  it('reports an address of another machine', async () => {
    await expect(served([], { host: '192.0.2.1' })).rejects.toThrow('cannot be listened on');
  });
});
