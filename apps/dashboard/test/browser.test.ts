import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serve, silentLogger, type RunningServer } from '@cer/http-service';
import type { Express } from 'express';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { PLACES } from '../src/web/document.js';
import { OWNER_EMAIL, PASSWORD, startTestDashboard, type TestDashboard } from './test-dashboard.js';

const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
];
const AA_TEXT = 4.5;

/** Puts the real app behind a port that is known before the app is. */
async function serveDashboard(): Promise<{
  server: RunningServer;
  dashboard: TestDashboard;
  url: string;
  bridge: RunningServer;
}> {
  const apps: Express[] = [];
  const onLocalhost = { host: '127.0.0.1', port: 0, logger: silentLogger() };
  const server = await serve((request, response) => {
    for (const app of apps) app(request, response);
  }, onLocalhost);
  const bridge = await serve((_request, response) => response.end('the bridge'), onLocalhost);
  const dashboard = await startTestDashboard({ publicUrl: server.url, bridgeUrl: bridge.url });
  apps.push(dashboard.app);
  return { server, dashboard, url: server.url, bridge };
}

describe('in a real browser', () => {
  let served: Awaited<ReturnType<typeof serveDashboard>>;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    served = await serveDashboard();
    const executablePath = CHROMIUM.find((path) => path !== '' && existsSync(path));
    if (executablePath === undefined) throw new Error(`no Chromium: looked at CHROMIUM_PATH, ${CHROMIUM.join(', ')}`);
    browser = await puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
  });

  afterAll(async () => {
    await browser.close();
    await served.server.close();
    await served.bridge.close();
    await served.dashboard.close();
  });

  const press = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);

  it('signs in by keyboard alone, the skip link first', async () => {
    await page.goto(served.url);
    await page.keyboard.press('Tab');
    expect(await page.$eval(':focus', (element) => element.textContent)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(OWNER_EMAIL);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.$eval('h1', (heading) => heading.textContent)).toBe('Overview');
  });

  it('shows pages that fit a phone, name every control, and can be read in light and dark', async () => {
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      for (const width of [360, 1200]) {
        await page.setViewport({ width, height: 800 });
        for (const [path] of PLACES) {
          await page.goto(served.url + path);
          const faults = await page.evaluate(auditPage, AA_TEXT);
          expect({ path, scheme, width, faults }).toEqual({ path, scheme, width, faults: [] });
        }
      }
    }
  });

  it('follows Connect to the bridge, though pages may send forms nowhere else', async () => {
    await page.goto(`${served.url}/integrations`);
    await press('main form button');
    expect(page.url().startsWith(`${served.bridge.url}/#handoff=ey`)).toBe(true);
  });

  it('signs out', async () => {
    await page.goto(served.url);
    await press('header form button');
    expect(page.url()).toBe(`${served.url}/sign-in?done=signed-out`);
    await page.goto(`${served.url}/keys`);
    expect(page.url()).toContain('/sign-in?to=');
  });

  it('never broke the content security policy', () => {
    expect(complaints).toEqual([]);
  });
});

/** Runs inside the page: what is too wide, nameless, or too pale against what is behind it. */
function auditPage(least: number): string[] {
  const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = channels(color).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  const faults: string[] = [];
  if (document.documentElement.scrollWidth > window.innerWidth) faults.push('wider than the window');
  if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
  if (document.querySelectorAll('main, header, nav').length !== 3) faults.push('not one of each landmark');
  const ids = Array.from(document.querySelectorAll('[id]')).map(({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice');
  for (const control of Array.from(
    document.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), select, textarea'),
  )) {
    if ((control.labels?.length ?? 0) === 0) faults.push(`no label: ${control.name}`);
  }
  for (const element of Array.from(document.querySelectorAll('[aria-describedby], [aria-labelledby]'))) {
    const named = `${element.getAttribute('aria-describedby') ?? ''} ${element.getAttribute('aria-labelledby') ?? ''}`;
    for (const id of named.split(' ').filter(Boolean)) if (!ids.includes(id)) faults.push(`names nothing: ${id}`);
  }
  for (const element of Array.from(document.querySelectorAll('body *'))) {
    const says = Array.from(element.childNodes).some(
      (node) => node.nodeType === 3 && String(node.textContent).trim() !== '',
    );
    if (!says || element.closest('meter, option') !== null) continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least) faults.push(`contrast ${contrast.toFixed(2)}: ${element.textContent.trim().slice(0, 30)}`);
  }
  return faults;
}
