import { memberOf, type CdpParams } from '../browser/cdp-messages.js';
import { CdpError, type CdpResult } from '../browser/cdp-pipe.js';
import type { Browser } from '../browser/launch.js';
import { isAlive, isInGroup, killNow } from '../browser/processes.js';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { SKETCH_URL } from '@cer/sketch-engine/render-rules';
import { guardPage, PageGone, type PageGuard } from './page-guard.js';
import type { PageScripts } from './page-bundle.js';

/** One page for one sketch, in its own browser context; used once. */
export interface SketchPage {
  /** The processes that run it; more than one only where Chromium split the page. */
  readonly pids: readonly number[];
  /**
   * Calls a function of the page's trusted reader in its isolated world.
   * @returns its JSON value
   * @throws PageGone, CdpError
   */
  call(name: string, args: readonly unknown[], timeoutMs: number): Promise<unknown>;
  /** Whether the page answers: its process may have ended before the browser reports it. */
  answers(): Promise<boolean>;
  /** Rejects with PageGone when the page crashes, closes or navigates. */
  readonly gone: Promise<never>;
  /** Ends the page in any state; settles when its processes have ended. */
  dispose(): Promise<void>;
}

/** The first script sets an attribute of the canvas when it is done; compiling the portable engine takes time. */
const WHEN_READY = `new Promise((done) => {
  const look = () => {
    const { ready, broken } = document.querySelector('canvas')?.dataset ?? {};
    if (ready === '' || broken !== undefined) done(broken ?? '');
    else setTimeout(look, 2);
  };
  look();
})`;
const ProcessInfo = z.object({ processInfo: z.array(z.object({ type: z.string(), id: z.number() })) });
const READY_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
const KILL_AFTER_MS = 500;
const GONE_AFTER_MS = 3000;

/** A page whose document is loading. */
interface BegunPage {
  readonly pids: readonly number[];
  readonly contextId: unknown;
  readonly send: (method: string, params?: CdpParams, timeoutMs?: number) => Promise<CdpResult>;
  readonly guard: PageGuard;
  readonly gone: Promise<never>;
  readonly isThere: () => boolean;
  readonly leave: (reason: PageGone['reason']) => void;
  readonly disposeContext: () => Promise<unknown>;
}

/** Opens a page with the prelude run and the reader in place, ready for its sketch. */
export async function openSketchPage(browser: Browser, scripts: PageScripts): Promise<SketchPage> {
  const { pids, contextId, send, guard, gone, isThere, leave, disposeContext } = await browser.inTurn(() =>
    beginPage(browser, scripts),
  );
  try {
    const evaluate = async (expression: string, timeoutMs: number): Promise<unknown> => {
      const answer = await send(
        'Runtime.evaluate',
        { expression, contextId, returnByValue: true, awaitPromise: true },
        timeoutMs,
      );
      if (answer['exceptionDetails'] !== undefined) throw new CdpError('refused', 'the page reader failed');
      return memberOf(answer['result'], 'value');
    };
    const broken = await evaluate(WHEN_READY, READY_WITHIN_MS);
    if (broken !== '') throw new Error(`the page's first script failed: ${String(broken)}`);
    await evaluate(scripts.isolatedWorld, 10_000);

    return {
      pids,
      gone,
      async answers() {
        if (!isThere() || !pids.some(isAlive)) return false;
        return Promise.race([evaluate('true', ANSWER_WITHIN_MS), gone]).then(
          (answer) => answer === true,
          () => false,
        );
      },
      async call(name, args, timeoutMs) {
        if (name === 'load') guard.closeDoors();
        const expression = `reader[${JSON.stringify(name)}](...${JSON.stringify(args)})`;
        try {
          return await Promise.race([evaluate(expression, timeoutMs), gone]);
        } catch (error) {
          // A page that navigated loses its worlds before the browser reports it.
          if (
            error instanceof CdpError &&
            error.reason === 'refused' &&
            /context|navigated|closed|found/i.test(error.message)
          ) {
            throw new PageGone('left');
          }
          throw error;
        }
      },
      async dispose() {
        guard.stop();
        leave('closed');
        await endPage(browser, disposeContext, pids);
      },
    };
  } catch (error) {
    guard.stop();
    await disposeContext().catch(() => undefined);
    throw error;
  }
}

/** Only one page may be begun at a time in a browser: its process is found by comparing those before and after. */
async function beginPage(browser: Browser, { answers }: PageScripts): Promise<BegunPage> {
  const { cdp } = browser;
  const before = new Set(await rendererPids(browser));
  const browserContextId = String(
    (await cdp.call('Target.createBrowserContext', { disposeOnDetach: true }))['browserContextId'],
  );
  const disposeContext = (): Promise<unknown> => cdp.call('Target.disposeBrowserContext', { browserContextId });
  let guard: PageGuard | undefined;
  try {
    const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank', browserContextId });
    const attached = await cdp.call('Target.attachToTarget', { targetId, flatten: true });
    const sessionId = String(attached['sessionId']);
    const send: BegunPage['send'] = (method, params = {}, timeoutMs = 10_000) =>
      cdp.call(method, params, { sessionId, timeoutMs });

    let there = true;
    let rejectGone: (error: PageGone) => void = () => undefined;
    const gone = new Promise<never>((_resolve, reject) => {
      rejectGone = reject;
    });
    const leave = (reason: PageGone['reason']): void => {
      there = false;
      rejectGone(new PageGone(reason));
    };
    gone.catch(() => undefined);
    guard = guardPage({ browser, sessionId, targetId: String(targetId), send, answers, onGone: leave });
    await Promise.all([
      send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      send('Inspector.enable'),
      send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' }),
      send('Emulation.setLocaleOverride', { locale: 'en-US' }),
    ]);
    const { frameId } = await send('Page.navigate', { url: SKETCH_URL });
    const world = await send('Page.createIsolatedWorld', { frameId, worldName: 'reader' });
    const pids = (await rendererPids(browser)).filter((pid) => !before.has(pid));
    return {
      pids,
      contextId: world['executionContextId'],
      send,
      guard,
      gone,
      isThere: () => there,
      leave,
      disposeContext,
    };
  } catch (error) {
    guard?.stop();
    await disposeContext().catch(() => undefined);
    throw error;
  }
}

/** Disposes the context, kills remaining processes after half a second, and the whole browser when it does not respond. */
async function endPage(
  browser: Browser,
  disposeContext: () => Promise<unknown>,
  pids: readonly number[],
): Promise<void> {
  const disposed = disposeContext().then(
    () => true,
    (error: unknown) => error instanceof CdpError && error.reason !== 'silent',
  );
  await Promise.race([disposed, sleep(KILL_AFTER_MS, undefined, { ref: false })]);
  const since = performance.now();
  while (pids.some(isAlive) && performance.now() - since < GONE_AFTER_MS) {
    if (performance.now() - since > KILL_AFTER_MS) pids.forEach(killNow);
    await sleep(10);
  }
  if (!(await disposed) && browser.isRunning()) await browser.kill();
}

/** Processes of the browser only: these are killed, and a browser that was taken over could name any. */
async function rendererPids({ cdp, pid }: Browser): Promise<number[]> {
  const { processInfo } = ProcessInfo.parse(await cdp.call('SystemInfo.getProcessInfo'));
  return processInfo.flatMap(({ type, id }) => (type === 'renderer' && isInGroup(id, pid) ? [id] : []));
}
