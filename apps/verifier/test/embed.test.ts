import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditPage } from '@cer/test-browser';
import { ask, type Answer } from './ask.js';
import { describeInChromium } from './chromium.js';
import { hashOf, lookupAnswer, plain } from './records.js';
import { publishEveryState, type PageState } from './states.js';
import { certificatePath, closed, listening, startStubNode, type StubNode } from './stub-node.js';
import { PUBLIC_URL, startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// The verdict in a frame on a page of another site.

let node: StubNode;
let verifier: VerifierUnderTest;
let states: readonly PageState[];
let hash: string;

beforeAll(async () => {
  node = await startStubNode();
  verifier = await startVerifier({ nodeUrl: node.url, publicNodeUrl: node.url });
  states = await publishEveryState(node);
  const record = await plain();
  hash = hashOf(record);
  node.answers.set(certificatePath(hash), { status: 200, body: lookupAnswer(record) });
});
afterAll(async () => {
  await verifier.close();
  await node.close();
});

const records = () => states.filter(({ path, verdict }) => /^\/[cp]\//.test(path) && verdict !== null);

const oembed = async (query: Readonly<Record<string, string>>) => {
  const path = `/oembed?${new URLSearchParams(query).toString()}`;
  const { status, text } = await ask(verifier.url, path, { accept: 'application/json' });
  return { status, body: JSON.parse(text) as Readonly<Record<string, unknown>> };
};

describe('the frame of a record', () => {
  it('has the verdict of its page in every state, and runs nothing', async () => {
    expect(records().length).toBeGreaterThan(5);
    for (const { path, verdict, tone } of records()) {
      const { text, headers } = await ask(verifier.url, `/embed${path}`);
      expect(text).toContain(`data-verdict="${verdict}" data-tone="${tone}"`);
      expect(text).not.toMatch(/<script|<form|<iframe|\son\w+=/);
      expect(text).toContain(`href="${PUBLIC_URL}${path}" target="_blank" rel="noopener"`);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
      );
      const page = await ask(verifier.url, path);
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('is 404 for no hash and for no record, and is kept as long as its record', async () => {
    expect((await ask(verifier.url, '/embed/c/x')).status).toBe(404);
    expect((await ask(verifier.url, `/embed/c/sha256:${'1'.repeat(64)}`)).status).toBe(404);
    const first = await ask(verifier.url, `/embed/c/${hash}`);
    const again = await ask(verifier.url, `/embed/c/${hash}`, { 'if-none-match': first.headers['etag'] ?? '' });
    expect([first.status, again.status]).toEqual([200, 304]);
    expect(again.headers['content-security-policy']).toBe(first.headers['content-security-policy']);
  });
});

describe('a frame without a record', () => {
  const answers = async (): Promise<readonly (readonly [number, Answer])[]> => {
    const limited = await startVerifier({ nodeUrl: node.url, rateLimitPerMinute: 1 });
    await ask(limited.url, '/');
    const refused = await ask(limited.url, `/embed/c/${hash}`);
    await limited.close();
    return [
      [429, refused],
      [404, await ask(verifier.url, '/embed/p/sha256:00')],
      [400, await ask(verifier.url, `/embed/c/${hash}?q=%ff`)],
    ];
  };

  it('may be framed as any other, and says why', async () => {
    for (const [expected, { status, headers, text }] of await answers()) {
      expect(status).toBe(expected);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
        vary: 'Accept',
      });
      expect(text).not.toMatch(/data-verdict|<script|<form|<iframe|\son\w+=/);
      expect(text).toMatch(/<h1 class="verdict-title">[^<]+<\/h1><p class="verdict-lead">[^<]+<\/p>/);
    }
  });

  it('is the standard error body to a program', async () => {
    const { status, text } = await ask(verifier.url, '/embed/p/sha256:00', { accept: '*/*' });
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: 'NOT_FOUND' }]);
  });
});

describe('the description for sites that embed', () => {
  it('is found through the page, and has the frame', async () => {
    const page = await ask(verifier.url, `/c/${encodeURIComponent(hash)}`);
    const [, address = ''] =
      /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)"/.exec(page.text) ?? [];
    expect(address).toContain(`${PUBLIC_URL}/oembed?url=`);
    const found = await ask(verifier.url, address.replaceAll('&amp;', '&').slice(PUBLIC_URL.length));
    const described = JSON.parse(found.text) as Readonly<Record<string, unknown>>;
    expect(described).toMatchObject({
      version: '1.0',
      type: 'rich',
      provider_url: PUBLIC_URL,
      width: 480,
      height: 120,
    });
    expect(described['title']).toBe(`Verified: ${hash.slice(0, 15)}…`);
    expect(described['html']).toContain(`<iframe src="${PUBLIC_URL}/embed/c/${encodeURIComponent(hash)}"`);
    // The same code as on the page.
    expect(page.text.replaceAll('&lt;', '<').replaceAll('&quot;', '"')).toContain(described['html']);
  });

  it.each([
    ['with a slash at its end', (address: string) => `${address}/`],
    ['in another case', (address: string) => address.replace('https://verify', 'HTTPS://Verify')],
    ['with its port', (address: string) => address.replace(PUBLIC_URL, `${PUBLIC_URL}:443`)],
    ['with a query', (address: string) => `${address}?from=mail#top`],
  ])('is found by the address of the page %s', async (_, written) => {
    const { status, body } = await oembed({ url: written(`${PUBLIC_URL}/c/${hash}`) });
    expect(status).toBe(200);
    expect(body['html']).toContain(`<iframe src="${PUBLIC_URL}/embed/c/${encodeURIComponent(hash)}"`);
  });

  it('is never larger than asked for', async () => {
    const { body } = await oembed({ url: `${PUBLIC_URL}/c/${hash}`, maxwidth: '300', maxheight: '9999' });
    expect(body).toMatchObject({ width: 300, height: 120 });
    expect(body['html']).toContain('width="300" height="120"');
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['no address', {}, 400],
    ['another format', { url: 'x', format: 'xml' }, 501],
    ['an address of another site', { url: `https://verify.example.net/c/sha256:${'1'.repeat(64)}` }, 404],
    ['a page of no record', { url: `${PUBLIC_URL}/keys` }, 404],
    ['a record that is not there', { url: `${PUBLIC_URL}/c/sha256:${'1'.repeat(64)}` }, 404],
  ])('is refused for %s', async (_, query, status) => {
    const refused = await oembed(query);
    expect(refused.status).toBe(status);
    expect(refused.body).not.toHaveProperty('html');
  });

  it('is refused for a moment while the node cannot be asked', async () => {
    const down = `sha256:${'5'.repeat(64)}`;
    node.answers.set(certificatePath(down), { status: 500, body: {} });
    const path = `/oembed?${new URLSearchParams({ url: `${PUBLIC_URL}/c/${down}` }).toString()}`;
    const { status, headers } = await ask(verifier.url, path, { accept: 'application/json' });
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '5', 'no-store']);
  });

  it('names the member and the rule of a width that is none', async () => {
    const refused = await oembed({ url: `${PUBLIC_URL}/c/${hash}`, maxwidth: '1e3' });
    expect([refused.status, refused.body['message']]).toEqual([400, 'maxwidth: must be an integer from 1 to 999999']);
  });
});

describeInChromium('a frame on a page of another site', (chromium) => {
  let site: Server;
  let framed: string;
  let address: string;

  beforeAll(async () => {
    site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><html lang="en"><title>Site</title><main><h1>Site</h1>${framed}</main></html>`);
    });
    address = await listening(site);
    await chromium.start();
  });
  afterAll(async () => {
    await chromium.stop();
    await closed(site);
  });

  it('shows the verdict in its style', async () => {
    const { body } = await oembed({ url: `${PUBLIC_URL}/c/${hash}` });
    framed = String(body['html']).replace(PUBLIC_URL, verifier.url);
    const watched = await chromium.open();
    await watched.page.goto(address);
    const frame = await watched.page.waitForFrame((one) => one.url().includes('/embed/'));
    await frame.waitForSelector('[data-verdict="VERIFIED"][data-tone="good"]');
    const style = await frame.$eval('.verdict', (element) => getComputedStyle(element).borderLeftWidth);
    expect(style).toBe('6px');
    expect(watched.complaints).toEqual([]);
    await watched.close();
  });

  it.each([480, 360, 300])('has room for the verdict of every state, %d pixels wide', async (given) => {
    const watched = await chromium.open();
    await watched.page.setViewport({ width: given, height: 120 });
    const tooLarge: string[] = [];
    const messages = ['/p/sha256:00', `/c/${hash}?q=%ff`].map((path) => ({ path, verdict: path }));
    for (const { path, verdict } of [...records(), ...messages]) {
      await watched.page.goto(`${verifier.url}/embed${path}`);
      const [width, height] = await watched.page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement;
        return [scrollWidth, scrollHeight];
      });
      if (width !== given || height !== 120) tooLarge.push(`${verdict}: ${width} x ${height}`);
    }
    expect(tooLarge).toEqual([]);
    await auditPage(watched.page, 'embed');
    await watched.close();
  });

  it('shows no page of this site', async () => {
    framed = `<iframe src="${verifier.url}/c/${encodeURIComponent(hash)}"></iframe>`;
    const watched = await chromium.open();
    await watched.page.goto(address);
    expect(watched.complaints.join()).toContain("frame-ancestors 'none'");
    await watched.close();
  });
});
