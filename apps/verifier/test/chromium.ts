import { describeInChromium as describeWhereOneIs, launchChromium, newPage, watchPage } from '@cer/test-browser';
import type { Browser, Page, PageWatch } from '@cer/test-browser';

/** A suite that drives a real Chromium, which it starts and stops; where none is installed, it says so. */
export function describeInChromium(name: string, suite: (chromium: Chromium) => void): void {
  describeWhereOneIs(name, () => {
    suite(new Chromium());
  });
}

/** One browser per suite, and pages that collect complaints. */
class Chromium {
  #browser: Browser | undefined;

  async start(): Promise<void> {
    this.#browser = await launchChromium();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
  }

  /** A page in its own profile. */
  async open(options: { readonly scripts?: boolean } = {}): Promise<WatchedPage> {
    if (this.#browser === undefined) throw new Error('the browser is not started');
    const context = await this.#browser.createBrowserContext();
    const page = await newPage(context);
    await page.setViewport({ width: 1100, height: 900 });
    await page.setJavaScriptEnabled(options.scripts ?? true);
    return new WatchedPage(page);
  }
}

/** A page with its complaints and the addresses it requested. */
export class WatchedPage {
  readonly page: Page;
  readonly #watch: PageWatch;

  constructor(page: Page) {
    this.page = page;
    this.#watch = watchPage(page);
  }

  get complaints(): readonly string[] {
    return this.#watch.complaints;
  }

  get requests(): readonly string[] {
    return this.#watch.requests;
  }

  /** Waits until the verdict is one of these, and gives it. */
  async verdict(...wanted: readonly string[]): Promise<string> {
    const selector = wanted.map((verdict) => `#main [data-verdict="${verdict}"]`).join(', ');
    const element = await this.page.waitForSelector(selector);
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

  close(): Promise<void> {
    return this.page.browserContext().close();
  }
}
