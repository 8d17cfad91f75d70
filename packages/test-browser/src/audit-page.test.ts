import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer';
import { describeInChromium, launchChromium, newPage } from './chromium.js';
import { auditPage } from './audit-page.js';
import { watchPage } from './watch-page.js';

const PALE = 'color: #ccc; background: #fff';
const SOUND = '<p>Sound.</p>';

const HEADERS = { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'; style-src 'self'" };

/** A page without violations except those of the given body and style. */
function page(body: string, style = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>Page</h1>${body}</main></body></html>`;
}

describeInChromium('auditPage', () => {
  let server: Server;
  let url: string;
  let browser: Browser;
  let served = '';
  let headers: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    server = createServer((_request, response) => response.writeHead(200, headers).end(served));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function opened(html: string, options: { readonly scripts?: boolean } = {}): Promise<Page> {
    served = html;
    headers = { 'content-type': 'text/html' };
    const tab = await newPage(browser);
    await tab.setJavaScriptEnabled(options.scripts ?? true);
    await tab.goto(url);
    return tab;
  }

  /** The message of the failure; empty when the page passes. */
  async function fault(tab: Page): Promise<string> {
    const message = await auditPage(tab, 'page').then(
      () => '',
      (error: unknown) => String(error),
    );
    await tab.close();
    return message;
  }

  it.each([true, false])('accepts a correct page with scripts %s', async (scripts) => {
    expect(await fault(await opened(page(SOUND), { scripts }))).toBe('');
  });

  it.each([true, false])('rejects low contrast with scripts %s', async (scripts) => {
    expect(await fault(await opened(page('<p>Pale.</p>', `p { ${PALE} }`), { scripts }))).toContain(
      'color-contrast: p',
    );
  });

  it('rejects low contrast in dark mode only', async () => {
    const style = `@media (prefers-color-scheme: dark) { p { ${PALE} } }`;
    expect(await fault(await opened(page(SOUND, style)))).toMatch(/"appearance": "dark"[^]*color-contrast: p/);
  });

  it('rejects a page wider than a phone', async () => {
    const message = await fault(await opened(page(SOUND, 'p { width: 500px }')));
    expect(message).toMatch(/"appearance": "phone"[^]*"tooWide": true/);
  });

  it('checks noscript content and restores the page', async () => {
    const html = page('<noscript><p>Pale.</p></noscript>', `p { ${PALE} }`);
    expect(await fault(await opened(html))).toBe('');
    const tab = await opened(html, { scripts: false });
    await expect(auditPage(tab, 'page')).rejects.toThrow('color-contrast: p');
    expect(await tab.$eval('main > noscript > p', (element) => element.textContent)).toBe('Pale.');
    await tab.close();
  });

  it('runs no page script when scripts are off', async () => {
    const tab = await opened(page(`${SOUND}<script>document.title = 'ran'</script>`), { scripts: false });
    await auditPage(tab, 'page');
    expect(await tab.title()).toBe('Page');
    await tab.close();
  });

  it('reports CSP violations, exceptions and requests', async () => {
    served = page('<p style="color: red">Refused.</p><img src="https://elsewhere.invalid/dot.png" alt="">');
    headers = HEADERS;
    const tab = await newPage(browser);
    const watch = watchPage(tab);
    await tab.goto(url);
    expect(watch.complaints.join('\n')).toMatch(/style-src[^]*img-src|img-src[^]*style-src/);
    await tab.evaluate(`setTimeout(() => { throw new Error('thrown by the page'); })`);
    await tab.evaluate('new Promise((done) => setTimeout(done))');
    expect(watch.complaints.at(-1)).toContain('thrown by the page');
    expect(watch.requests).toContain(url);
    await tab.close();
  });
});
