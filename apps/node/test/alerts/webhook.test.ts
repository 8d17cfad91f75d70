import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { AlertEndpoint } from '../../src/alerts/endpoints.js';
import { createPostWebhook, type PostOptions } from '../../src/alerts/post-webhook.js';
import { permittedAddress, type Resolve } from '../../src/alerts/public-address.js';

interface Received {
  readonly host: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const secretOf = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const message = { deliveryId: 'msg_1', payload: '{"type":"witness.silent"}' };

describe('a webhook', () => {
  const received: Received[] = [];
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        received.push({ host: request.headers.host, headers, body: Buffer.concat(parts).toString() });
        if (request.url === '/hangs') return;
        if (request.url === '/upgrades') {
          response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
          return;
        }
        if (request.url === '/redirects') {
          response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
          return;
        }
        response.writeHead(200);
        if (request.url === '/endless') response.write(Buffer.alloc(17 * 1024));
        else response.end('ok');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const here: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const post = (url: string, options: Partial<PostOptions> = {}, secrets = [secretOf()]) => {
    const endpoint: AlertEndpoint = { tenantId: null, name: 'ops', url, secrets, types: null };
    const usual = { allowsPrivate: true, resolve: here, now: () => new Date() };
    return createPostWebhook({ ...usual, ...options })(endpoint, message);
  };

  it('is signed with both secrets while one is rotated', async () => {
    const secrets = [secretOf(), secretOf()];
    expect(await post(`http://127.0.0.1:${port}/`, {}, secrets)).toEqual({ status: 200 });
    const { headers, body } = received.at(-1) ?? { headers: {}, body: '' };
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'witness.silent' });
    expect(() => new Webhook(secretOf()).verify(body, headers)).toThrow();
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers)).toThrow();
  });

  it('connects to the address that was checked', async () => {
    let asked = 0;
    const resolve: Resolve = async () => {
      asked += 1;
      return asked === 1 ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '127.0.0.2', family: 4 }];
    };
    expect(await post(`http://hooks.example.test:${port}/`, { resolve })).toEqual({ status: 200 });
    expect(asked).toBe(1);
    expect(received.at(-1)?.host).toBe(`hooks.example.test:${port}`);
  });

  it('follows no redirect', async () => {
    const before = received.length;
    expect(await post(`http://127.0.0.1:${port}/redirects`)).toEqual({ status: 302 });
    expect(received).toHaveLength(before + 1);
  });

  it('reads a bounded part of an answer', async () => {
    expect(await post(`http://127.0.0.1:${port}/endless`, { timeoutMs: 60_000 })).toEqual({ status: 200 });
  });

  it('ends when a receiver changes the protocol', async () => {
    expect(await post(`http://127.0.0.1:${port}/upgrades`)).toEqual({ status: 101 });
  });

  it('ends when a receiver or the resolver hangs', async () => {
    expect(await post(`http://127.0.0.1:${port}/hangs`, { timeoutMs: 50 })).toEqual({ failure: 'TIMEOUT' });
    const resolve: Resolve = () => new Promise(() => undefined);
    expect(await post('http://hooks.example.test/', { timeoutMs: 50, resolve })).toEqual({ failure: 'TIMEOUT' });
  });

  it('names an unknown name and a closed port', async () => {
    const resolve: Resolve = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { syscall: 'getaddrinfo' });
    };
    expect(await post('http://hooks.example.test/', { resolve })).toEqual({ failure: 'NAME_UNRESOLVED' });
    expect(await post('http://127.0.0.1:1/')).toEqual({ failure: 'UNREACHABLE' });
  });

  it('calls no plain http or private address unless allowed', async () => {
    const before = received.length;
    expect(await post(`http://127.0.0.1:${port}/`, { allowsPrivate: false })).toEqual({ failure: 'INSECURE_URL' });
    expect(await post(`https://127.0.0.1:${port}/`, { allowsPrivate: false })).toEqual({ failure: 'ADDRESS_REFUSED' });
    expect(await post(`https://hooks.example.test:${port}/`, { allowsPrivate: false })).toEqual({
      failure: 'ADDRESS_REFUSED',
    });
    expect(received).toHaveLength(before);
  });
});

describe('the address of a webhook', () => {
  const literal = (url: string, allowsPrivate = false) =>
    permittedAddress(new URL(url).hostname, allowsPrivate, () => Promise.reject(new Error('resolved a literal')));

  it.each([
    'http://10.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0.0.0.0',
    'http://100.64.0.1',
    'http://169.254.169.254',
    'http://172.31.255.255',
    'http://192.168.1.1',
    'http://198.18.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://[::]',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:8.8.8.8]',
    'http://[64:ff9b::7f00:1]',
    'http://[fd00:ec2::254]',
    'http://[fe80::1]',
    'http://[ff02::1]',
    'http://[2002:7f00:1::]',
    'http://[2001:0:1::]',
    'http://[2001:db8::1]',
  ])('is refused: %s', async (url) => {
    expect(await literal(url)).toBeNull();
  });

  it.each(['http://8.8.8.8', 'http://172.32.0.1', 'http://[2606:4700::1111]'])('is public: %s', async (url) => {
    expect(await literal(url)).not.toBeNull();
  });

  it('refuses link-local addresses even where private ones are allowed', async () => {
    expect(await literal('http://10.0.0.1', true)).toEqual({ address: '10.0.0.1', family: 4 });
    expect(await literal('http://169.254.169.254', true)).toBeNull();
    expect(await literal('http://[fe80::1]', true)).toBeNull();
  });

  it.each([
    'http://[fd00:ec2::254]',
    'http://[fd20:ce::254]',
    'http://100.100.100.200',
    'http://168.63.129.16',
    'http://192.0.0.192',
    'http://[::ffff:169.254.169.254]',
    'http://[64:ff9b::a9fe:a9fe]',
  ])('refuses the metadata service of any cloud: %s', async (url) => {
    expect(await literal(url, true)).toBeNull();
    expect(await literal(url)).toBeNull();
  });

  it('refuses a name with one private address', async () => {
    const resolve: Resolve = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    expect(await permittedAddress('hooks.example.test', false, resolve)).toBeNull();
    expect(await permittedAddress('hooks.example.test', false, async () => [])).toBeNull();
  });
});
