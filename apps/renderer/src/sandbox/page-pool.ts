import type { BrowserHost } from '../browser/browser-host.js';
import { openSketchPage, type SketchPage } from './sketch-page.js';
import type { PageBundle } from './page-bundle.js';

/** Pages made ahead, each used once: a render does not wait for its context and process. */
export interface PagePool {
  /** @throws whatever the browser's start or the page's opening throws */
  take(): Promise<SketchPage>;
  close(): Promise<void>;
}

export interface PagePoolOptions {
  readonly host: BrowserHost;
  readonly bundle: PageBundle;
  /** How many pages wait ready. */
  readonly ahead: number;
}

export function createPagePool({ host, bundle, ahead }: PagePoolOptions): PagePool {
  const ready: SketchPage[] = [];
  let line: Promise<unknown> = Promise.resolve();
  let opening = 0;
  let closed = false;

  // One at a time: a page's process is known by what a single opening added.
  const open = (): Promise<SketchPage> => {
    const opened = line.then(() => openOn(host, bundle));
    line = opened.catch(() => undefined);
    return opened;
  };
  const refill = (): void => {
    if (closed || ready.length + opening >= ahead) return;
    opening += 1;
    open()
      .then(
        async (made) => {
          if (closed) await made.dispose();
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
      while (made !== undefined && !made.isThere()) {
        made.dispose().catch(() => undefined);
        made = ready.shift();
      }
      const page = made ?? (await open());
      // Not while the page at hand draws its first lines: the next one can wait a moment.
      setTimeout(refill, 0);
      return page;
    },
    async close() {
      closed = true;
      await line;
      await Promise.all(ready.splice(0).map((page) => page.dispose().catch(() => undefined)));
    },
  };
}

const MAX_ATTEMPTS = 3;

/**
 * Opens a page, again where its process or its browser ended meanwhile. A browser that runs and twice opens none is
 * replaced.
 */
async function openOn(host: BrowserHost, bundle: PageBundle, attempt = 1): Promise<SketchPage> {
  const browser = await host.current();
  try {
    return await openSketchPage(browser, bundle);
  } catch (error) {
    if (attempt === MAX_ATTEMPTS) throw error;
    if (attempt > 1 && browser.isRunning()) await browser.kill();
    return openOn(host, bundle, attempt + 1);
  }
}
