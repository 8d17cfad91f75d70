import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { startProxy, type Proxy } from './serve.js';
import { createUpstream } from './upstream.js';

const upstream = createUpstream();
let handler: RequestListener;
let provider: Server;
let to: string;
let proxy: Proxy;

beforeEach(async () => {
  provider = createServer((asked, answer) => {
    handler(asked, answer);
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  to = `http://127.0.0.1:${port}/base`;
  proxy = await startProxy({ to, port: 0, fetch: upstream.fetch });
});
afterEach(async () => {
  upstream.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
  await proxy.close();
});

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
}

async function ask({ path = '/v1/models', method = 'GET', headers = {}, body }: Asked): Promise<IncomingMessage> {
  const { port } = new URL(proxy.url);
  const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

const fault = (message: string): string =>
  JSON.stringify({ error: { message: `cer proxy: ${message}`, type: 'cer_proxy' } });

/** Its status and body. */
async function told(asked: Asked): Promise<[status: number | undefined, body: string]> {
  const answer = await ask(asked);
  return [answer.statusCode, (await buffer(answer)).toString()];
}

describe('a request and its answer', () => {
  it('are those of program and provider', async () => {
    const seen: unknown[] = [];
    handler = (asked, answer) => {
      void buffer(asked).then((body) => {
        const { host, connection, ...headers } = asked.headers;
        seen.push([asked.method, asked.url, headers, body.toString(), host === new URL(proxy.url).host, connection]);
        answer.writeHead(418, 'Short', ['X-Id', 'a;b="c"', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Once', 'c']);
        answer.end('{"short":true}');
      });
    };
    const headers = {
      authorization: 'Bearer key',
      'x-twice': ['a', 'b'],
      connection: 'x-hop',
      'x-hop': 'for the proxy',
    };
    const body = '{"model": "é"}';
    const sent = { ...headers, 'content-type': 'application/json', 'accept-encoding': 'gzip' };
    const answer = await ask({ path: '/v1/chat?a=%20b', method: 'POST', headers: sent, body });
    expect(seen).toEqual([
      [
        ...['POST', '/base/v1/chat?a=%20b'],
        {
          ...{ authorization: 'Bearer key', 'x-twice': 'a, b', 'content-type': 'application/json' },
          ...{ 'accept-encoding': 'identity', 'content-length': String(Buffer.byteLength(body)) },
        },
        ...[body, false, 'keep-alive'],
      ],
    ]);
    expect([answer.statusCode, answer.statusMessage, (await buffer(answer)).toString()]).toEqual([
      ...[418, 'Short', '{"short":true}'],
    ]);
    expect(answer.headers).toMatchObject({ 'x-id': 'a;b="c"', 'set-cookie': ['a=1', 'b=2'], 'x-once': 'c' });
  });

  it.each<[string, Asked, number, string]>([
    ['no content', {}, 204, ''],
    ['not modified', {}, 304, ''],
    ['the head alone', { method: 'HEAD' }, 200, ''],
    ['a redirect', {}, 302, 'elsewhere'],
  ])('are passed on: %s', async (_, asked, status, body) => {
    handler = (_asked, answer) => {
      answer.writeHead(status, { location: '/elsewhere', 'x-id': 'a' }).end(body);
    };
    expect(await told(asked)).toEqual([status, body]);
  });

  it('are passed on with a form of 20 MB', async () => {
    const form = Buffer.alloc(20 * 1024 * 1024, 'form ');
    let sum = 0;
    handler = (asked, answer) => {
      void buffer(asked).then((body) => {
        sum = body.compare(form);
        answer.end(String(body.length));
      });
    };
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await told({ method: 'POST', headers, body: form })).toEqual([200, String(form.length)]);
    expect(sum).toBe(0);
  });

  it.each<[string, (content: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('are unpacked where the provider compresses without being asked: %s', async (encoding, compress) => {
    handler = (_asked, answer) => {
      const body = compress('{"id":"packed"}');
      answer.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length });
      answer.end(body);
    };
    const answer = await ask({});
    expect([answer.headers['content-encoding'], (await buffer(answer)).toString()]).toEqual([
      undefined,
      '{"id":"packed"}',
    ]);
    handler = (_asked, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('{"id":"cut off"}').subarray(0, -3));
    };
    await expect(ask({}).then(buffer)).rejects.toThrow('aborted');
  });

  it('arrive while they are sent', async () => {
    let goOn = (): void => undefined;
    handler = (_asked, answer) => {
      answer.write('first ');
      goOn = () => answer.end('second');
    };
    const answer = await ask({});
    const chunks = answer.iterator({ destroyOnReturn: false });
    expect(String((await chunks.next()).value)).toBe('first ');
    goOn();
    expect((await buffer(answer)).toString()).toBe('second');
  });

  it('are sent once, also where the connection breaks', async () => {
    let asks = 0;
    handler = (asked, answer) => {
      asks += 1;
      if (asks === 2) asked.socket.resetAndDestroy();
      else answer.end(String(asks));
    };
    const body = '{"model":"m"}';
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await told(asked)).toEqual([200, '1']);
    expect(await told(asked)).toEqual([502, fault(`the request to ${to} failed (ECONNRESET)`)]);
    expect(asks).toBe(2);
  });

  it.each([
    ['bytes', 'application/json'],
    ['a stream', 'application/octet-stream'],
  ])('are one request, whatever its method: %s', async (_, type) => {
    const seen: unknown[] = [];
    handler = (asked, answer) => {
      void buffer(asked).then((body) => {
        seen.push([asked.method, asked.url, body.toString()]);
        answer.end();
      });
    };
    const body = 'POST /v1/smuggled HTTP/1.1\r\nhost: a\r\n\r\n';
    for (const headers of [
      { 'transfer-encoding': 'chunked' },
      { connection: 'content-length', 'content-length': String(body.length) },
    ]) {
      await told({ method: 'DELETE', path: '/v1/files/a', headers: { ...headers, 'content-type': type }, body });
    }
    expect(seen).toEqual([
      ['DELETE', '/base/v1/files/a', body],
      ['DELETE', '/base/v1/files/a', body],
    ]);
  });

  it('keep the path and the bytes of the head as they are written', async () => {
    let url: string | undefined;
    handler = (asked, answer) => {
      ({ url } = asked);
      answer.writeHead(200, 'Ok', { 'x-name': 'caf\u00e9' });
      answer.write(Buffer.from('a'));
      answer.end();
    };
    const answer = await ask({ path: "/a/../%2e%2e/b?'c'" });
    expect([url, answer.headers['x-name']]).toEqual(["/base/a/../%2e%2e/b?'c'", 'caf\u00e9']);
    expect((await buffer(answer)).toString()).toBe('a');
  });

  it('are passed on whole, however long', async () => {
    const body = Buffer.alloc(65 * 1024 * 1024, '{"a":1} ');
    let isSame = false;
    handler = (asked, answer) => {
      void buffer(asked).then((got) => {
        isSame = got.equals(body);
        answer.end('ok');
      });
    };
    expect(await told({ method: 'POST', headers: { 'content-type': 'application/json' }, body })).toEqual([200, 'ok']);
    expect(isSame).toBe(true);
  });
});

describe('an end', () => {
  it('of the program ends the request of the provider', async () => {
    const ended = new Promise<void>((resolve) => {
      handler = (_asked, answer) => {
        answer.write('first');
        answer.once('close', resolve);
      };
    });
    const answer = await ask({});
    answer.destroy();
    await ended;
  });

  it('of the program before the answer ends the request of the provider', async () => {
    const ended = new Promise<void>((resolve) => {
      handler = (_asked, answer) => {
        answer.once('close', resolve);
        asked.destroy();
      };
    });
    const { port } = new URL(proxy.url);
    const asked = request({ host: '127.0.0.1', port, agent: false }).on('error', () => undefined);
    asked.end();
    await ended;
  });

  it('of the program ends a request that waits behind another one', async () => {
    let ended = 0;
    handler = (_asked, answer) => {
      answer.write('first');
      answer.once('close', () => (ended += 1));
    };
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.write('GET /1 HTTP/1.1\r\nhost: localhost\r\n\r\nGET /2 HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    while (ended < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('of a provider breaks an answer without a length off', async () => {
    handler = (_asked, answer) => {
      const { socket } = answer;
      socket?.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"half":', () => {
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    };
    await expect(ask({}).then(buffer)).rejects.toThrow('aborted');
  });

  it('of the proxy waits for calls and for nothing else', async () => {
    let finish = (): void => undefined;
    handler = (_asked, answer) => {
      answer.write('first ');
      finish = () => answer.end('last');
    };
    const port = Number(new URL(proxy.url).port);
    const silent = connect(port, '127.0.0.1').on('error', () => undefined);
    const half = connect(port, '127.0.0.1').on('error', () => undefined);
    half.write('POST /v1/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{');
    const answer = await ask({});
    const closed = proxy.close();
    expect(await fetch(`${proxy.url}/v1/models`).then(String, () => 'no connection')).toBe('no connection');
    finish();
    expect((await buffer(answer)).toString()).toBe('first last');
    await closed;
    for (const socket of [silent, half]) socket.destroy();
  });

  it('of all connections ends calls under way', async () => {
    handler = (_asked, answer) => {
      answer.write('first');
    };
    const answer = await ask({});
    const closed = proxy.close();
    proxy.abort();
    await expect(buffer(answer)).rejects.toThrow('aborted');
    await closed;
  });

  it('of the provider breaks the answer off', async () => {
    handler = (_asked, answer) => {
      answer.write('first', () => answer.destroy());
    };
    await expect(buffer(await ask({}))).rejects.toThrow('aborted');
  });

  it('of a slow reader does not fill the memory', async () => {
    let written = 0;
    handler = (_asked, answer) => {
      const more = (): void => {
        while (!answer.destroyed && answer.write(Buffer.alloc(1024 * 1024))) written += 1;
        answer.once('drain', more);
      };
      more();
    };
    const answer = await ask({});
    answer.pause();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    // What the sockets and buffers of two connections take.
    expect(written).toBeLessThan(64);
    answer.destroy();
  });
});

describe('what cannot be forwarded', () => {
  it('is a request by another name, and one to an HTTP proxy', async () => {
    handler = (_asked, answer) => answer.end('reached');
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:80']) {
      expect(await told({ headers: { host } })).toEqual([200, 'reached']);
    }
    for (const host of ['models.test', 'localhost.models.test', '127.0.0.1.models.test:80']) {
      expect(await told({ headers: { host } })).toEqual([403, fault('only programs of this machine may use it')]);
    }
    expect(await told({ path: 'http://models.test/v1' })).toEqual([
      400,
      fault('this is the base URL of an SDK, not an HTTP proxy'),
    ]);
  });

  it('is a request of a page of another site', async () => {
    handler = (_asked, answer) => answer.end('reached');
    for (const headers of [{ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' }, {}]) {
      expect(await told({ headers })).toEqual([200, 'reached']);
    }
    const pages: Record<string, string>[] = [
      { origin: 'https://models.test' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of pages) {
      expect(await told({ method: 'POST', headers, body: '{}' })).toEqual([
        ...[403, fault('only programs of this machine may use it')],
      ]);
    }
  });

  it('is an answer that no program could be given', async () => {
    handler = (_asked, answer) => {
      answer.socket?.write('HTTP/1.1 999 Denied\r\ncontent-length: 0\r\n\r\n');
    };
    expect(await told({})).toEqual([502, fault(`the request to ${to} failed (HTTP 999)`)]);
  });

  it('is a request to a provider that cannot be reached', async () => {
    const away = await startProxy({ to: 'http://127.0.0.1:9', port: 0, fetch: upstream.fetch });
    const answer = await fetch(`${away.url}/v1/models`);
    expect([answer.status, await answer.text()]).toEqual([
      502,
      fault('the request to http://127.0.0.1:9 failed (ECONNREFUSED)'),
    ]);
    await away.close();
  });
});
