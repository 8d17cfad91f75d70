import type { Logger } from '@cer/http-service/process';
import { confinementFault } from './confinement.js';
import { launchBrowser, type Browser, type LaunchOptions } from './launch.js';
import { residentBytes } from './processes.js';
import { fileDigest } from './resolve.js';

/** Keeps one browser running: starts it at the first request, and again after it ended. */
export interface BrowserHost {
  /**
   * The running browser, confinement checked.
   * @throws LaunchError, ConfinementError, BrowserReplaced
   */
  current(): Promise<Browser>;
  /** Why no browser can be started any more; undefined while one can. */
  fault(): string | undefined;
  /** Number of browser starts. */
  readonly launches: number;
  close(): Promise<void>;
}

/** The browser has more rights than untrusted code may have. */
export class ConfinementError extends Error {
  override readonly name = 'ConfinementError';
}

/** The file is no longer the browser that the self-test tried and that certificates name. */
class BrowserReplaced extends Error {
  override readonly name = 'BrowserReplaced';
}

export interface BrowserHostOptions extends LaunchOptions {
  readonly logger: Logger;
  /** Maximum memory of the browser process without its pages, in bytes; beyond it the browser is ended. */
  readonly maxBrowserBytes: number;
}

const WATCH_EVERY_MS = 500;

export function createBrowserHost(options: BrowserHostOptions): BrowserHost {
  const { binary, logger, maxBrowserBytes } = options;
  let browser: Promise<Browser> | undefined;
  let running: Browser | undefined;
  let launches = 0;
  let closed = false;
  let replaced: BrowserReplaced | undefined;

  const assertSameFile = async (): Promise<void> => {
    if (replaced === undefined && (await fileDigest(binary.path)) !== binary.digest) {
      replaced = new BrowserReplaced(`${binary.path} was replaced while the renderer ran: start the renderer again`);
      logger.error({ reason: replaced.message }, 'renders are refused');
    }
    if (replaced !== undefined) throw replaced;
  };

  const start = async (): Promise<Browser> => {
    // The first start follows the digest at once; hashing takes a fifth of a second.
    if (launches > 0) await assertSameFile();
    launches += 1;
    const started = await launchBrowser(options);
    try {
      const fault = await confinementFault(started, options.jail);
      if (fault !== undefined) throw new ConfinementError(fault);
    } catch (error) {
      await started.kill();
      throw error;
    }
    running = started;
    logger.info({ version: started.version, pid: started.pid, jail: options.jail.kind }, 'browser started');
    void started.ended.then(() => {
      if (running === started) running = undefined;
      if (!closed) logger.warn({ pid: started.pid, err: started.cdp.fault() }, 'browser ended');
    });
    return started;
  };

  const watch = setInterval(() => {
    if (running === undefined || residentBytes(running.pid) <= maxBrowserBytes) return;
    logger.warn({ pid: running.pid }, 'browser exceeds its memory and is ended');
    void running.kill();
  }, WATCH_EVERY_MS);
  watch.unref();

  return {
    get launches() {
      return launches;
    },
    fault: () => replaced?.message,
    async current() {
      if (closed) throw new Error('the renderer is closing');
      const seen = browser;
      const known = await seen?.catch(() => undefined);
      if (known?.isRunning() === true) return known;
      // The first of several concurrent callers starts the next browser.
      if (browser === seen) browser = start();
      return browser ?? start();
    },
    async close() {
      closed = true;
      clearInterval(watch);
      const last = await browser?.catch(() => undefined);
      await last?.kill();
    },
  };
}
