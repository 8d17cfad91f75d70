import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer';
import { freePort, OWNER, startDashboardProcess, type DashboardProcess } from './dashboard-process.js';
import { startNodeProcess, type NodeProcess } from './service-process.js';
import { SERVICE_TOKEN } from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
];
/** A folder to look at pictures in, when somebody wants to. */
const PICTURES = process.env['BRIDGE_PICTURES'];

let dashboard: DashboardProcess;
let node: NodeProcess;
let bridge: TestBridge;
let browser: Browser;

beforeAll(async () => {
  const dashboardPort = await freePort();
  const controlPlaneUrl = `http://127.0.0.1:${dashboardPort}`;
  node = await startNodeProcess(controlPlaneUrl, SERVICE_TOKEN);
  bridge = await startTestBridge({ nodeUrl: node.url, controlPlaneUrl });
  dashboard = await startDashboardProcess({
    port: dashboardPort,
    bridgeUrl: bridge.url,
    nodeUrl: node.url,
    serviceToken: SERVICE_TOKEN,
  });
  const executablePath = CHROMIUM.find((path) => path !== '' && existsSync(path));
  if (executablePath === undefined) throw new Error(`no Chromium: looked at CHROMIUM_PATH, ${CHROMIUM.join(', ')}`);
  browser = await puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
});
afterAll(async () => {
  await browser.close();
  await bridge.close();
  await node.stop();
  node.remove();
  await dashboard.stop();
});

interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained about: refused by the policy, failed, thrown. */
  readonly complaints: string[];
  /** The handoff tokens that went by in redirects. */
  readonly tokens: string[];
}

/** Signs in at the dashboard and chooses Integrations, Connect. */
async function connect(): Promise<Visit> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
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
  await page.goto(`${dashboard.url}/sign-in`);
  await page.type('input[name=email]', OWNER.email);
  await page.type('input[name=password]', OWNER.password);
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
  await page.goto(`${dashboard.url}/integrations`);
  await page.click('form[action="/integrations/connect"] button');
  await page.waitForFunction(() => document.querySelector('[data-act="sign-out"]') !== null);
  return { context, page, complaints, tokens };
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

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  for (const [mode, scheme, width] of [
    ['light', 'light', 1200],
    ['dark', 'dark', 1200],
    ['phone', 'light', 390],
  ] as const) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.setViewport({ width, height: 900 });
    await page.screenshot({ path: join(PICTURES, `${name}-${mode}.png`), fullPage: true });
  }
}

describe('somebody who comes from the dashboard', () => {
  it('lands in the bridge with no token in address or history, sees an ingest arrive, opens it, leaves, and cannot return by the token', async () => {
    const { context, page, complaints, tokens } = await connect();
    expect(page.url()).toBe(`${bridge.url}/`);
    const session = await page.createCDPSession();
    const history = await session.send('Page.getNavigationHistory');
    const addresses = history.entries.map(({ url, userTypedURL }) => `${url} ${userTypedURL}`);
    expect(addresses.join('\n')).not.toContain('handoff');
    expect(tokens).toHaveLength(1);
    const page1 = await page.content();
    expect(page1).toContain(OWNER.tenant);
    expect(page1).toContain(OWNER.email);
    await page.waitForFunction(() => document.querySelector('#live-state')?.textContent.includes('by themselves'));
    await picture(page, 'empty');

    const { status, hash } = await ingest();
    expect(status).toBe(200);
    await page.waitForFunction((wanted) => document.querySelector('#live')?.textContent.includes(wanted), {}, hash);
    const link = await page.$eval('#recent ~ ol a', (element) => element.href);
    expect(link).toBe(`https://verify.example/c/${encodeURIComponent(hash)}`);

    const request = { executionId: randomUUID(), createdAt: '2026-01-01T00:00:00Z', timestamp: '2026-01-01T00:00:00Z' };
    const first = await ingest(request);
    expect(await ingest({ ...request, output: '<b>other</b>' })).toMatchObject({ status: 409 });
    await page.waitForFunction(() => document.querySelector('#refused') !== null);
    const refused = await page.$eval('#refused ~ ol', (element) => element.textContent);
    expect(refused).toContain(first.hash);
    expect(refused).toContain('was sent sha256:');
    await picture(page, 'live');
    await page.click('nav a[href="/send"]');
    await page.waitForFunction(() => document.querySelector('#otel-snippet') !== null);
    expect(await page.$eval('#otel-snippet', (element) => element.textContent)).toContain(
      `OTEL_EXPORTER_OTLP_ENDPOINT=${bridge.url}`,
    );
    await picture(page, 'send');
    expect(complaints).toEqual([]);

    await page.click('[data-act="sign-out"]');
    await page.waitForFunction(
      () => document.querySelector('[data-act="sign-out"]') === null && document.querySelector('h1') !== null,
    );
    await picture(page, 'not-connected');
    await page.goto('about:blank');
    await page.goto(`${bridge.url}/#handoff=${tokens[0] ?? ''}`);
    await page.waitForFunction(() => document.querySelector<HTMLElement>('[data-handoff="refused"]')?.hidden === false);
    expect(page.url()).toBe(`${bridge.url}/`);
    expect(await context.cookies()).not.toContainEqual(expect.objectContaining({ name: '__Host-bridge_session' }));
    await picture(page, 'refused');
    await context.close();
  });

  it('is told whose session the browser holds', async () => {
    const { context, page } = await connect();
    const answer = await page.evaluate(async () => {
      const response = await fetch('/api/v1/auth/session');
      return (await response.json()) as { readonly session: { readonly tenantName: string } };
    });
    expect(answer.session.tenantName).toBe(OWNER.tenant);
    await context.close();
  });

  it('sees the page end in every window when it logs out in one', async () => {
    const { context, page } = await connect();
    const second = await context.newPage();
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
