import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import express, { type Express } from 'express';
import request from 'supertest';
import { json, jsonText, noContent, ok, pathParam, redirect, type Handler } from '../handler/handler.js';
import { silentLogger } from '../telemetry/logger.js';
import type { Route } from './route.js';
import { createRouter } from './router.js';
import type { RouterOptions } from './router-options.js';
import { notFoundPage } from './not-found-page.js';
import { ServiceError } from '../errors/service-error.js';
import { connectRaw, recordedLog } from '../testing/index.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function appOf(routes: readonly Route[], options: Partial<RouterOptions> = {}): Express {
  return express()
    .disable('x-powered-by')
    .use(createRouter(routes, { logger: silentLogger(), ...options }));
}

const echo: Handler = async ({ body }) => ok({ bytes: body.length });
const refuse = (code: string, status: number) => async () => {
  throw new ServiceError({ code, status });
};

describe('within', () => {
  const held: string[] = [];
  const route = (path: string, handler: Handler): Route => ({
    method: 'POST',
    path,
    mediaTypes: ['text/plain'],
    bodyLimitBytes: 4,
    admit: async () => {
      held.push('admitted');
    },
    within: async (_head, work) => {
      held.push('held');
      try {
        return await work();
      } finally {
        held.push('released');
      }
    },
    handler,
  });
  const app = appOf([
    route('/fine', async () => {
      held.push('handled');
      return noContent();
    }),
    route('/refused', refuse('VALIDATION_ERROR', 400)),
    { ...route('/full', echo), within: refuse('RATE_LIMITED', 429) },
  ]);
  const send = async (path: string, body: string, type = 'text/plain'): Promise<number> => {
    held.length = 0;
    return (await request(app).post(path).set('content-type', type).send(body)).status;
  };

  it('wraps the body and the handler', async () => {
    expect([await send('/fine', 'text'), held]).toEqual([204, ['admitted', 'held', 'handled', 'released']]);
    expect([await send('/refused', 'text'), held]).toEqual([400, ['admitted', 'held', 'released']]);
    expect([await send('/fine', 'too long'), held]).toEqual([413, ['admitted', 'held', 'released']]);
  });

  it('refuses before the body is read', async () => {
    expect(await send('/full', 'too long', 'text/html')).toBe(429);
  });
});

describe('routing', () => {
  const app = appOf([
    { method: 'GET', path: '/v1/things', handler: async () => ok({ all: true }) },
    { method: 'POST', path: '/v1/things', handler: echo },
    { method: 'GET', path: '/v1/things/:id', handler: async (head) => ok({ id: pathParam(head, 'id') }) },
    { method: 'DELETE', path: '/v1/things/:name', handler: async () => noContent() },
    { method: 'GET', path: '/v1/things/fixed', handler: async () => ok({ fixed: true }) },
    { method: 'GET', path: '/query', handler: async ({ query }) => ok([...query]) },
    { method: 'GET', path: '/moved', handler: async () => redirect('/v1/things') },
  ]);

  it.each([
    '/v1/things/',
    '//v1/things',
    '/v1//things',
    '/V1/things',
    '/v1/Things',
    '/v1%2Fthings',
    '/v1/thing%73',
    '/v1/things/%zz',
    '/v1/things/a/b',
    '/v1/./things',
    '/constructor',
    '/',
  ])('does not know %s', async (path) => {
    const answer = await request(app).get(path);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'NOT_FOUND', requestId: answer.headers['x-request-id'] });
  });

  it('decodes a path parameter once, slashes included', async () => {
    expect((await request(app).get('/v1/things/a%2Fb%2525')).body).toEqual({ id: 'a/b%25' });
  });

  it('prefers a fixed path to a pattern', async () => {
    expect((await request(app).get('/v1/things/fixed')).body).toEqual({ fixed: true });
  });

  it('refuses another method and names the allowed ones', async () => {
    const answer = await request(app).put('/v1/things');
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('GET, HEAD, POST');
    expect(answer.body).toMatchObject({ error: 'METHOD_NOT_ALLOWED' });
  });

  it('says which method to use', async () => {
    expect((await request(app).put('/v1/things')).body).toMatchObject({
      message: 'method: must be one of GET, HEAD, POST',
    });
    const onlyPost = appOf([{ method: 'POST', path: '/v1/things', handler: echo }]);
    expect((await request(onlyPost).get('/v1/things')).body).toMatchObject({ message: 'method: must be POST' });
  });

  it('joins routes that name their parameter differently', async () => {
    expect((await request(app).patch('/v1/things/x')).headers['allow']).toBe('GET, HEAD, DELETE');
    expect((await request(app).delete('/v1/things/x')).status).toBe(204);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const [head, get] = [await request(app).head('/v1/things'), await request(app).get('/v1/things')];
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.text).toBeFalsy();
  });

  it('decodes the query', async () => {
    expect((await request(app).get('/query?a=1&b=%20x')).body).toEqual([
      ['a', '1'],
      ['b', ' x'],
    ]);
  });

  it.each([
    ['/query?a=1&b=x%ff', 'b'],
    ['/query?b=%C3%A4&c=%ED%A0%80', 'c'],
    ['/query?%ff=secret', 'query'],
  ])('refuses a query that is not UTF-8: %s', async (url, name) => {
    const answer = await request(app).get(url);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: 'VALIDATION_ERROR',
      details: [`${name}: must be percent-encoded UTF-8`],
    });
  });

  it('answers an unknown path before it refuses a query', async () => {
    expect((await request(app).get('/unknown?a=%ff')).status).toBe(404);
  });

  it('redirects', async () => {
    const answer = await request(app).get('/moved').redirects(0);
    expect([answer.status, answer.headers['location']]).toEqual([302, '/v1/things']);
  });

  it('refuses two handlers for one method and path', () => {
    const route: Route = { method: 'GET', path: '/a/:b', handler: echo };
    expect(() => createRouter([route, { ...route, path: '/a/:c' }], { logger: silentLogger() })).toThrow(
      'declared twice',
    );
    expect(() => createRouter([{ ...route, path: 'a' }], { logger: silentLogger() })).toThrow('must begin');
  });

  it('answers unknown paths as configured', async () => {
    const page = { status: 404, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>None</p>' };
    const site = appOf([], { notFound: notFoundPage(page) });
    const shown = await request(site).post('/nowhere').set('accept', 'text/html,*/*;q=0.8').send('body');
    expect([shown.status, shown.text, shown.headers['x-request-id']]).toEqual([
      404,
      '<p>None</p>',
      expect.stringMatching(UUID),
    ]);
    for (const accept of ['*/*', 'application/json', 'text/html;q=0.5, application/json', 'image/png']) {
      const refused = await request(site).get('/nowhere').set('accept', accept);
      expect([refused.status, refused.body]).toMatchObject([404, { error: 'NOT_FOUND' }]);
    }
  });

  it('admits unknown paths before answering them', async () => {
    const limited = appOf([], { notFound: { ...notFoundPage(noContent()), admit: refuse('RATE_LIMITED', 429) } });
    expect((await request(limited).get('/nowhere').set('accept', 'text/html')).status).toBe(429);
  });
});

describe('every answer', () => {
  const app = appOf([
    { method: 'GET', path: '/plain', handler: async () => ok({}) },
    { method: 'GET', path: '/page', handler: async () => jsonText(200, '{}', { 'Cache-Control': 'max-age=60' }) },
    { method: 'GET', path: '/bad-header', handler: async () => ok({}, { 'x-a': 'b\r\nset-cookie: c' }) },
    {
      method: 'GET',
      path: '/bytes',
      handler: async () => ({ status: 200, headers: {}, body: new Uint8Array([104, 105]) }),
    },
  ]);

  it('repeats a well-formed request id of the client', async () => {
    for (const id of ['mine', 'A-z_0.9', 'i'.repeat(64)]) {
      for (const path of ['/plain', '/nowhere']) {
        const answer = await request(app).get(path).set('x-request-id', id);
        expect(answer.headers['x-request-id']).toBe(id);
      }
    }
    expect((await request(app).get('/nowhere').set('x-request-id', 'mine')).body).toMatchObject({ requestId: 'mine' });
  });

  it('has a fresh request id otherwise', async () => {
    const ids = new Set<unknown>();
    for (const id of [undefined, '', 'a b', 'i'.repeat(65), '<b>', 'a, b', 'ü']) {
      const asked = request(app).get('/plain');
      const answer = await (id === undefined ? asked : asked.set('x-request-id', Buffer.from(id).toString('latin1')));
      expect(answer.headers['x-request-id']).toMatch(UUID);
      ids.add(answer.headers['x-request-id']);
    }
    expect(ids.size).toBe(7);
  });

  it('has security headers and no framework name', async () => {
    const { headers } = await request(app).get('/plain');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
      'content-length': '2',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it('may replace a default header in any case', async () => {
    expect((await request(app).get('/page')).headers['cache-control']).toBe('max-age=60');
  });

  it('is an error rather than a split header', async () => {
    const answer = await request(app).get('/bad-header');
    expect(answer.status).toBe(500);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it('is aborted when the refusal cannot be sent', async () => {
    const throwing: Handler = async () => {
      throw new ServiceError({ code: 'FORBIDDEN', headers: { 'x-a': 'b\r\nc' } });
    };
    const broken = appOf([{ method: 'GET', path: '/a', handler: throwing }]);
    await expect(request(broken).get('/a')).rejects.toThrow('hang up');
    expect((await request(broken).get('/b')).status).toBe(404);
  });

  it('may be bytes', async () => {
    expect((await request(app).get('/bytes').buffer()).headers['content-length']).toBe('2');
  });
});

describe('cross-origin reading', () => {
  const app = appOf([
    { method: 'GET', path: '/open', cors: 'public', handler: async () => json(200, {}) },
    { method: 'POST', path: '/open', handler: echo },
    { method: 'POST', path: '/fails', cors: 'public', handler: refuse('VALIDATION_ERROR', 400) },
    { method: 'GET', path: '/keyed', handler: async () => ok({}) },
  ]);
  const corsOf = (headers: Record<string, string>) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control'));

  it('is allowed without cookies on public routes', async () => {
    for (const answer of [await request(app).get('/open'), await request(app).post('/fails')]) {
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-expose-headers']).toBe('X-Certificate-Hash, X-Request-Id');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('answers a preflight with the public methods only', async () => {
    const answer = await request(app).options('/open').set('origin', 'https://a.example');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('is not allowed on other routes', async () => {
    const answers = [
      await request(app).get('/keyed').set('origin', 'https://a.example'),
      await request(app).post('/open'),
      await request(app).options('/keyed'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 405]);
    expect(answers.flatMap(({ headers }) => corsOf(headers as Record<string, string>))).toEqual([]);
  });
});

describe('gzip bodies', () => {
  const LIMIT = 1000;
  const text = (body: Uint8Array): string => Buffer.from(body).toString('utf8');
  const app = appOf([
    { method: 'POST', path: '/whole', bodyLimitBytes: LIMIT, handler: async ({ body }) => ok({ text: text(body) }) },
    {
      method: 'POST',
      path: '/stream',
      bodyLimitBytes: LIMIT,
      body: 'stream',
      handler: async ({ body }) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        return ok({ text: text(Buffer.concat(chunks)) });
      },
    },
  ]);
  const send = (path: string, packed: Uint8Array, coding = 'gzip'): request.Test =>
    request(app).post(path).set('content-encoding', coding).type('bin').send(packed);

  it.each(['/whole', '/stream'])('are unpacked for %s', async (path) => {
    for (const sent of ['{}', '', 'x'.repeat(LIMIT)]) {
      const answer = await send(path, gzipSync(sent));
      expect([answer.status, answer.body]).toEqual([200, { text: sent }]);
    }
  });

  it.each(['/whole', '/stream'])('are unpacked for %s under their old name', async (path) => {
    expect((await send(path, gzipSync('{}'), 'X-GZip')).body).toEqual({ text: '{}' });
  });

  it.each(['/whole', '/stream'])('may not grow over the limit of %s', async (path) => {
    for (const size of [LIMIT + 1, 900_000]) {
      const packed = gzipSync('x'.repeat(size), { level: 9 });
      expect(packed.length).toBeLessThan(LIMIT);
      const answer = await send(path, packed);
      expect([answer.status, answer.body]).toMatchObject([413, { error: 'PAYLOAD_TOO_LARGE' }]);
    }
  });

  it.each(['/whole', '/stream'])('are 400 for %s when they are not gzip', async (path) => {
    const whole = gzipSync('{"a":1}');
    for (const packed of [Buffer.from('{}'), whole.subarray(0, -1), whole.subarray(0, 5)]) {
      const answer = await send(path, packed);
      expect([answer.status, answer.body]).toMatchObject([400, { details: ['body: is not valid gzip'] }]);
    }
  });

  it.each(['/whole', '/stream'])('are 400 for %s with bytes behind their end', async (path) => {
    const whole = gzipSync('{"a":1}');
    expect((await send(path, Buffer.concat([whole, whole]))).body).toEqual({ text: '{"a":1}{"a":1}' });
    for (const behind of ['\0', `\0${'{"b":2}'.repeat(9)}`]) {
      const answer = await send(path, Buffer.concat([whole, Buffer.from(behind)]));
      expect([answer.status, answer.body]).toMatchObject([
        400,
        { details: [expect.stringContaining('behind the end')] },
      ]);
    }
  });

  it('count unpacked against the bodies in memory', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let arrived = (): void => undefined;
    const firstArrived = new Promise<void>((resolve) => (arrived = resolve));
    const handler: Handler = async ({ body }) => {
      arrived();
      await held;
      return ok({ bytes: body.length });
    };
    const small = appOf([{ method: 'POST', path: '/b', bodyLimitBytes: 1 << 24, handler }], {
      bodiesAtOnceBytes: 1 << 21,
    });
    const sent = (): request.Test =>
      request(small)
        .post('/b')
        .set('content-encoding', 'gzip')
        .type('bin')
        .send(gzipSync(Buffer.alloc(3 << 20)));
    const first = sent().then(({ body }) => body as unknown);
    await firstArrived;
    expect((await sent()).status).toBe(503);
    letGo();
    expect(await first).toEqual({ bytes: 3 << 20 });
  });
});

describe('the order of refusals', () => {
  let handled = 0;
  const route: Route = {
    method: 'POST',
    path: '/r',
    mediaTypes: ['application/json'],
    bodyLimitBytes: 4,
    admit: async ({ headers }) => {
      if (headers['authorization'] === undefined) throw new ServiceError({ code: 'UNAUTHORIZED' });
    },
    handler: async () => {
      handled += 1;
      return ok({});
    },
  };
  const app = appOf([route]);
  const post = (path: string) => request(app).post(path).set('content-type', 'text/plain');

  it('is 404, 405, 401, 415, 413, then the handler', async () => {
    const outcomes = [
      await post('/none').send('too long'),
      await request(app).put('/r').set('content-type', 'text/plain').send('too long'),
      await post('/r').send('too long'),
      await post('/r').set('authorization', 'x').send('too long'),
      await post('/r').set('authorization', 'x').set('content-type', 'application/json').send('"long"'),
    ].map(({ status }) => status);
    expect(outcomes).toEqual([404, 405, 401, 415, 413]);
    expect(handled).toBe(0);
    expect((await request(app).post('/r').set('authorization', 'x').type('json').send('1234')).status).toBe(200);
    expect(handled).toBe(1);
  });

  it.each([
    ['deflate', 415],
    ['identity', 200],
    ['IDENTITY', 200],
    ['gzip, identity', 415],
  ])('treats content coding %s as %i', async (coding, status) => {
    const sent = request(app).post('/r').set('authorization', 'x').type('json').set('content-encoding', coding);
    expect((await sent.send('{}')).status).toBe(status);
  });

  it.each([
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['application/json;charset="utf-8"', 200],
    ['application/json; charset=latin1', 415],
    ['application/jsonp', 415],
    ['text/json', 415],
  ])('treats media type %s as %i', async (type, status) => {
    expect((await request(app).post('/r').set('authorization', 'x').set('content-type', type).send('{}')).status).toBe(
      status,
    );
  });

  it('names the charset to send', async () => {
    const sent = request(app)
      .post('/r')
      .set('authorization', 'x')
      .set('content-type', 'application/json; charset=utf-16');
    expect((await sent.send('{}')).body).toMatchObject({
      message: 'content-type: charset must be utf-8: send the header "Content-Type: application/json"',
    });
  });

  it.each([
    ['without a type', undefined],
    ['with the type of a form, as curl sends it', 'application/x-www-form-urlencoded'],
  ])('names the header to add to a body %s', async (_name, type) => {
    const head = ['POST /r HTTP/1.1', 'Host: x', 'Authorization: x', 'Content-Length: 2', 'Connection: close'];
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const raw = await connectRaw(`http://127.0.0.1:${port}`);
      raw.send([...head, ...(type === undefined ? [] : [`Content-Type: ${type}`]), '', '{}'].join('\r\n'));
      const answer = await raw.ended();
      expect(answer).toMatch(/^HTTP\/1.1 415 /);
      expect(answer).toContain(
        '"message":"content-type: must be application/json: send the header \\"Content-Type: application/json\\""',
      );
    } finally {
      server.close();
    }
  });

  it('lets a route accept a coding that it decodes', async () => {
    const open = appOf([{ method: 'POST', path: '/r', contentEncodings: ['gzip'], handler: echo }]);
    expect((await request(open).post('/r').set('content-encoding', 'gzip').send('zz')).status).toBe(200);
  });

  it('lets the limit depend on the result of admission', async () => {
    const callers = new WeakMap<object, number>();
    const open = appOf([
      {
        method: 'POST',
        path: '/r',
        admit: async (head) => {
          callers.set(head, Number(head.headers['x-limit']));
        },
        bodyLimitBytes: (head) => callers.get(head) ?? 0,
        handler: async (whole) => ok({ limit: callers.get(whole) }),
      },
    ]);
    const post5 = (limit: string) => request(open).post('/r').set('x-limit', limit).type('text').send('12345');
    expect((await post5('4')).status).toBe(413);
    expect((await post5('5')).body).toEqual({ limit: 5 });
  });
});

describe('request logging', () => {
  it('has pattern and outcome, and no client text', async () => {
    const { logger, lines } = recordedLog();
    const app = appOf([{ method: 'POST', path: '/v1/things/:id', handler: echo }], { logger });
    await request(app)
      .post('/v1/things/path-secret?q=query-secret')
      .set('authorization', 'Bearer header-secret')
      .set('cookie', 'c=cookie-secret')
      .set('x-request-id', 'client-1')
      .type('text')
      .send('body-secret');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'info',
      method: 'POST',
      route: '/v1/things/:id',
      status: 200,
      ms: expect.any(Number),
      requestId: 'client-1',
    });
    expect(lines.join('')).not.toContain('secret');
  });

  it('omits harmful client ids and unknown paths', async () => {
    const { logger, lines } = recordedLog();
    await request(appOf([], { logger })).get('/secret-path').set('x-request-id', 'a b"secret');
    expect(JSON.parse(lines.join(''))).toMatchObject({ route: '(unmatched)', status: 404 });
    expect(lines.join('')).not.toContain('secret');
  });
});
