import type { BrowserHost } from '../browser/browser-host.js';
import type { Browser } from '../browser/launch.js';
import { openSketchPage, type SketchPage } from './sketch-page.js';
import type { PageBundle } from './page-bundle.js';

/** Pages made ahead, each used once: a render does not wait for its context and process. */
export interface PagePool {
  /** @throws whatever the browser's start or the page's opening throws */
  take(): Promise<SketchPage>;
  close(): Promise<void>;
}

interface ReadyPage {
  readonly browser: Browser;
  readonly page: SketchPage;
}

export interface PagePoolOptions {
  readonly host: BrowserHost;
  readonly bundle: PageBundle;
  /** How many pages wait ready. */
  readonly ahead: number;
}

export function createPagePool({ host, bundle, ahead }: PagePoolOptions): PagePool {
  const ready: ReadyPage[] = [];
  let line: Promise<unknown> = Promise.resolve();
  let opening = 0;
  let closed = false;

  // One at a time: a page's process is known by what a single opening added.
  const open = (): Promise<ReadyPage> => {
    const opened = line.then(async () => {
      const browser = await host.current();
      return { browser, page: await openSketchPage(browser, bundle) };
    });
    line = opened.catch(() => undefined);
    return opened;
  };
  const refill = (): void => {
    if (closed || ready.length + opening >= ahead) return;
    opening += 1;
    open()
      .then(
        async (made) => {
          if (closed) await made.page.dispose();
          else ready.push(made);
        },
        // The next job opens a page itself and reports what stops it.
        () => undefined,
      )
      .finally(() => {
        opening -= 1;
      });
  };

  return {
    async take() {
      let made = ready.shift();
      while (made !== undefined && !made.browser.isRunning()) made = ready.shift();
      const { page } = made ?? (await open());
      // Not while the page at hand draws its first lines: the next one can wait a moment.
      setTimeout(refill, 0);
      return page;
    },
    async close() {
      closed = true;
      await line;
      await Promise.all(ready.splice(0).map(({ page }) => page.dispose().catch(() => undefined)));
    },
  };
}
