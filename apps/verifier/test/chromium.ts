import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import puppeteer, { type Browser, type Page } from 'puppeteer';

/** Set it to a folder to look at every page and state. */
const SCREENSHOTS = process.env['CER_SCREENSHOTS'];
const PATH = process.env['CER_VERIFIER_BROWSER'] ?? '';

/** A suite that drives a real Chromium; where none is installed, one line says that it was not run. */
export function describeInChromium(name: string, suite: (chromium: Chromium) => void): void {
  if (PATH === '') {
    it(`${name}: is not run, no Chromium is installed`, () => {
      expect(PATH).toBe('');
    });
    return;
  }
  describe(name, () => {
    suite(new Chromium());
  });
}

/** One browser for a suite, and pages that collect what must not happen. */
export class Chromium {
  #browser: Browser | undefined;
  readonly profile = mkdtempSync(join(tmpdir(), 'cer-verifier-chromium-'));

  async start(): Promise<void> {
    this.#browser = await puppeteer.launch({
      executablePath: PATH,
      headless: true,
      userDataDir: this.profile,
      // The pages are our own; a sandbox needs a user who may make one.
      args: ['--no-sandbox', '--disable-gpu'],
    });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A page in a profile of its own. */
  async open(options: { readonly scripts?: boolean } = {}): Promise<WatchedPage> {
    if (this.#browser === undefined) throw new Error('the browser is not started');
    const context = await this.#browser.createBrowserContext();
    const page = await context.newPage();
    await page.setViewport({ width: 1100, height: 900 });
    await page.setJavaScriptEnabled(options.scripts ?? true);
    return new WatchedPage(page);
  }
}

/** A page with everything it complained about and every address it asked. */
export class WatchedPage {
  readonly page: Page;
  readonly complaints: string[] = [];
  readonly requests: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warn') this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url())) this.requests.push(request.url());
    });
  }

  /** Waits until the verdict is one of these, and gives it. */
  async verdict(...wanted: readonly string[]): Promise<string> {
    const selector = wanted.map((verdict) => `#main [data-verdict="${verdict}"]`).join(', ');
    const element = await this.page.waitForSelector(selector, { timeout: 20_000 });
    return (await element?.evaluate((node) => node.getAttribute('data-verdict'))) ?? '';
  }

  attribute(selector: string, name: string): Promise<string | null> {
    return this.page.$eval(selector, (node, wanted) => node.getAttribute(wanted), name);
  }

  text(selector = 'main'): Promise<string> {
    return this.page.$eval(selector, (node) => node.textContent);
  }

  /** Hands a file to a file input. */
  async upload(selector: string, path: string): Promise<void> {
    const element = await this.page.waitForSelector(selector);
    const input = await element?.toElement('input');
    await input?.uploadFile(path);
  }

  /** Keeps pictures of the page as it stands, in light, in dark and on a phone, where somebody wants to look. */
  async take(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    mkdirSync(SCREENSHOTS, { recursive: true });
    const shoot = (variant: string): Promise<unknown> =>
      this.page.screenshot({ path: join(SCREENSHOTS, `${name}-${variant}.png`), fullPage: true });
    await shoot('light');
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await shoot('dark');
    await this.page.emulateMediaFeatures([]);
    const viewport = this.page.viewport();
    await this.page.setViewport({ width: 360, height: 740 });
    await shoot('phone');
    await this.page.setViewport(viewport);
  }

  close(): Promise<void> {
    return this.page.browserContext().close();
  }
}
