import type { BrowserHost } from '../browser/browser-host.js';
import { openSketchPage, type SketchPage } from './sketch-page.js';
import type { PageScripts } from './page-bundle.js';

/** Pages opened ahead, each used once, so that a render does not wait for its context and process. */
export interface PagePool {
  /** @throws errors of starting the browser or opening the page */
  take(): Promise<SketchPage>;
  close(): Promise<void>;
}

export interface PagePoolOptions {
  readonly host: BrowserHost;
  readonly scripts: PageScripts;
  /** Number of pages opened ahead. */
  readonly ahead: number;
}

export function createPagePool({ host, scripts, ahead }: PagePoolOptions): PagePool {
  const ready: SketchPage[] = [];
  const opening = new Set<Promise<void>>();
  let closed = false;

  const refill = (): void => {
    if (closed || ready.length + opening.size >= ahead) return;
    const opened = openOn(host, scripts)
      .then(
        async (made) => {
          if (closed) await made.dispose();
          else ready.push(made);
        },
        // The next job opens a page itself and reports the error.
        () => undefined,
      )
      .finally(() => {
        opening.delete(opened);
      });
    opening.add(opened);
  };

  return {
    async take() {
      let made = ready.shift();
      while (made !== undefined && !(await made.answers())) {
        made.dispose().catch(() => undefined);
        made = ready.shift();
      }
      const page = made ?? (await openOn(host, scripts));
      // Deferred, so that opening the next page does not slow down the start of this one.
      setTimeout(refill, 0);
      return page;
    },
    async close() {
      closed = true;
      await Promise.allSettled(opening);
      await Promise.all(ready.splice(0).map((page) => page.dispose().catch(() => undefined)));
    },
  };
}

const MAX_ATTEMPTS = 3;

/**
 * Opens a page, again where its process or its browser ended in the meantime. A browser that runs and twice opens none is
 * replaced.
 */
async function openOn(host: BrowserHost, scripts: PageScripts, attempt = 1): Promise<SketchPage> {
  const browser = await host.current();
  try {
    return await openSketchPage(browser, scripts);
  } catch (error) {
    if (attempt === MAX_ATTEMPTS) throw error;
    if (attempt > 1 && browser.isRunning()) await browser.kill();
    return openOn(host, scripts, attempt + 1);
  }
}
