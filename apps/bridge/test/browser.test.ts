import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { serve, silentLogger, type RunningServer } from '@cer/http-service/process';
import {
  describeInChromium,
  launchChromium,
  auditPage,
  newPage,
  type Browser,
  type BrowserContext,
  type Page,
  freePort,
} from '@cer/test-browser';
import { OWNER, startDashboardProcess, type DashboardProcess, type Owner } from './dashboard-process.js';
import { startNodeProcess, type NodeProcess } from './service-process.js';
import { SERVICE_TOKEN } from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

/** Pages are checked by all of axe's rules, possibly on a busy machine. */
jest.setTimeout(300_000);

let dashboard: DashboardProcess;
let node: NodeProcess;
let bridge: TestBridge;
/** Represents the public verifier, whose pages are tested elsewhere. */
let verifier: RunningServer;
let browser: Browser;

interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors that the browser reported: policy violations, failed requests, exceptions. */
  readonly complaints: string[];
  /** The handoff tokens seen in redirects. */
  readonly tokens: string[];
}

/** Signs in at the dashboard and chooses Integrations, Connect. */
async function connect(): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const page = await newPage(context);
  const complaints: string[] = [];
  const tokens: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('response', (response) => {
    const token = /#handoff=(.+)$/.exec(response.headers()['location'] ?? '')?.[1];
    if (token !== undefined) tokens.push(token);
  });
  await chooseConnect(page, OWNER);
  await page.waitForFunction(() => document.querySelector('[data-act="sign-out"]') !== null);
  return { context, page, complaints, tokens };
}

async function chooseConnect(page: Page, owner: Owner): Promise<void> {
  await page.goto(`${dashboard.url}/sign-in`);
  // A user who is still signed in sees the overview instead.
  if ((await page.$('input[name=email]')) === null) {
    await Promise.all([page.waitForNavigation(), page.click('form[action="/sign-out"] button')]);
    await page.goto(`${dashboard.url}/sign-in`);
  }
  await page.type('input[name=email]', owner.email);
  await page.type('input[name=password]', owner.password);
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
  await page.goto(`${dashboard.url}/integrations`);
  await page.click('form[action="/integrations/connect"] button');
}

function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent);
}

async function ingest(
  members: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly status: number; readonly hash: string }> {
  const response = await fetch(`${bridge.url}/api/v1/ingest/executions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      executionId: randomUUID(),
      provider: 'openai',
      model: 'gpt-4o',
      input: 'Q',
      output: 'A',
      ...members,
    }),
  });
  const body = (await response.json()) as { readonly certificateHash?: string };
  return { status: response.status, hash: body.certificateHash ?? '' };
}

let key: string | undefined;
const apiKey = (): string => (key ??= dashboard.newKey());

describeInChromium('a user who comes from the dashboard', () => {
  beforeAll(async () => {
    const dashboardPort = await freePort();
    const controlPlaneUrl = `http://127.0.0.1:${dashboardPort}`;
    node = await startNodeProcess(controlPlaneUrl, SERVICE_TOKEN);
    verifier = await serve((request, response) => response.end(`certificate page ${request.url ?? ''}`), {
      host: '127.0.0.1',
      port: 0,
      logger: silentLogger(),
    });
    bridge = await startTestBridge({
      nodeUrl: node.url,
      controlPlaneUrl,
      replace: () => ({ verifyUrl: verifier.url }),
    });
    dashboard = await startDashboardProcess({
      port: dashboardPort,
      bridgeUrl: bridge.url,
      nodeUrl: node.url,
      serviceToken: SERVICE_TOKEN,
    });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await bridge.close();
    await verifier.close();
    await node.stop();
    node.remove();
    await dashboard.stop();
  });

  it('sees an ingest arrive, and cannot reuse the token', async () => {
    const { context, page, complaints, tokens } = await connect();
    expect(page.url()).toBe(`${bridge.url}/`);
    const session = await page.createCDPSession();
    const history = await session.send('Page.getNavigationHistory');
    const addresses = history.entries.map(({ url, userTypedURL }) => `${url} ${userTypedURL}`);
    expect(addresses.join('\n')).not.toContain('handoff');
    expect(tokens).toHaveLength(1);
    const markup = await page.content();
    expect(markup).toContain(OWNER.tenant);
    expect(markup).toContain(OWNER.email);
    await page.waitForFunction(() => document.querySelector('#live-state')?.textContent.includes('by themselves'));
    await auditPage(page, 'empty');

    const { status, hash } = await ingest();
    expect(status).toBe(200);
    await page.waitForFunction((wanted) => document.querySelector('#live')?.textContent.includes(wanted), {}, hash);

    const request = { executionId: randomUUID(), createdAt: '2026-01-01T00:00:00Z', timestamp: '2026-01-01T00:00:00Z' };
    const first = await ingest(request);
    expect(await ingest({ ...request, output: '<b>other</b>' })).toMatchObject({ status: 409 });
    await page.waitForFunction(() => document.querySelector('#refused') !== null);
    const refused = await page.$eval('#refused ~ ol', (element) => element.textContent);
    expect(refused).toContain(first.hash);
    expect(refused).toContain('was sent sha256:');
    await auditPage(page, 'live');
    await Promise.all([page.waitForNavigation(), page.click('#recent ~ ol li:last-child a')]);
    expect(await textOf(page, 'body')).toBe(`certificate page /c/${encodeURIComponent(hash)}`);
    await page.goBack();
    await page.click('nav a[href="/send"]');
    await page.waitForFunction(() => document.querySelector('#otel-snippet') !== null);
    expect(await page.$eval('#otel-snippet', (element) => element.textContent)).toContain(
      `OTEL_EXPORTER_OTLP_ENDPOINT=${bridge.url}`,
    );
    await auditPage(page, 'send');
    expect(complaints).toEqual([]);

    await page.click('[data-act="sign-out"]');
    await page.waitForFunction(
      () => document.querySelector('[data-act="sign-out"]') === null && document.querySelector('h1') !== null,
    );
    await auditPage(page, 'not-connected');
    await page.goto('about:blank');
    await page.goto(`${bridge.url}/#handoff=${tokens[0] ?? ''}`);
    await page.waitForFunction(() => document.querySelector<HTMLElement>('[data-handoff="refused"]')?.hidden === false);
    expect(page.url()).toBe(`${bridge.url}/`);
    expect(await context.cookies()).not.toContainEqual(expect.objectContaining({ name: '__Host-bridge_session' }));
    await auditPage(page, 'refused');
    await context.close();
  });

  it('is asked before another user’s session ends', async () => {
    const other = dashboard.newOwner();
    const { context, page } = await connect();
    await chooseConnect(page, other);
    await page.waitForSelector('[data-handoff="conflict"]:not([hidden])');
    expect(page.url()).toBe(`${bridge.url}/`);
    expect(await textOf(page, '[data-handoff="conflict"]')).toContain(OWNER.email);
    await auditPage(page, 'conflict');
    await page.goto(`${bridge.url}/`);
    expect(await textOf(page, 'header')).toContain(OWNER.email);
    await chooseConnect(page, other);
    await page.waitForSelector('[data-handoff="conflict"]:not([hidden])');
    await Promise.all([page.waitForNavigation(), page.click('[data-act="replace"]')]);
    expect(await textOf(page, 'header')).toContain(other.email);
    await context.close();
  });

  it('logs out in every window at once', async () => {
    const { context, page } = await connect();
    const second = await newPage(context);
    await second.goto(`${bridge.url}/`);
    await second.waitForFunction(() => document.querySelector('#live-state')?.textContent.includes('by themselves'));
    await page.bringToFront();
    await page.click('[data-act="sign-out"]');
    await second.waitForFunction(
      () => document.querySelector('#live') === null && document.body.textContent.includes('Not connected'),
    );
    await context.close();
  });
});
