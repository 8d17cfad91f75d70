import { memberOf, type CdpParams, type EncodedMembers } from '../browser/cdp-messages.js';
import type { CdpResult } from '../browser/cdp-pipe.js';
import type { Browser } from '../browser/launch.js';

/** The page no longer exists. */
export class PageGone extends Error {
  override readonly name = 'PageGone';
  readonly reason: 'crashed' | 'left' | 'closed';
  constructor(reason: PageGone['reason']) {
    super(`the page ${reason}`);
    this.reason = reason;
  }
}

export interface GuardedPage {
  readonly browser: Browser;
  readonly sessionId: string;
  readonly targetId: string;
  readonly send: (method: string, params?: CdpParams) => Promise<CdpResult>;
  /** Response per address, in the form of `Fetch.fulfillRequest`; each sent once. */
  readonly answers: ReadonlyMap<string, EncodedMembers>;
  readonly onGone: (reason: PageGone['reason']) => void;
}

const FULFIL_WITHIN_MS = 10_000;

export interface PageGuard {
  /** Called before the sketch runs: from then on, everything that the page opens is closed. */
  closeDoors(): void;
  stop(): void;
}

/**
 * Serves the document from memory, fails every other request, closes every target that a sketch opens before it runs, and
 * reports the end of the page. `Fetch` and auto-attach with waiting must be on in its session.
 */
export function guardPage({ browser, sessionId, targetId, send, answers, onGone }: GuardedPage): PageGuard {
  const { cdp } = browser;
  const left = new Map(answers);
  let open = true;
  const quietly = (answer: Promise<unknown>): void => {
    answer.catch(() => undefined);
  };
  const fulfil = (requestId: unknown, prepared: EncodedMembers): Promise<unknown> =>
    cdp.call('Fetch.fulfillRequest', { requestId }, { sessionId, prepared, timeoutMs: FULFIL_WITHIN_MS });
  const stopSession = cdp.onSession(sessionId, ({ method, params }) => {
    if (method === 'Fetch.requestPaused') {
      const { requestId, request } = params;
      const url = String(memberOf(request, 'url'));
      const answer = left.get(url);
      left.delete(url);
      if (answer !== undefined) quietly(fulfil(requestId, answer));
      else quietly(send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }));
    } else if (method === 'Inspector.targetCrashed') onGone('crashed');
    else if (method === 'Target.attachedToTarget') {
      const { targetInfo, sessionId: child } = params;
      // The worker of the reader: the sketch has not run yet.
      if (open && memberOf(targetInfo, 'type') === 'worker' && typeof child === 'string')
        quietly(cdp.call('Runtime.runIfWaitingForDebugger', {}, { sessionId: child }));
      else quietly(cdp.call('Target.closeTarget', { targetId: memberOf(targetInfo, 'targetId') }));
    }
  });
  const stopBrowser = cdp.onSession('', ({ method, params }) => {
    if (method === 'Target.detachedFromTarget' && params['targetId'] === targetId) onGone('closed');
  });
  const stopEnd = browser.onEnd(() => {
    onGone('closed');
  });
  return {
    closeDoors() {
      open = false;
    },
    stop() {
      stopSession();
      stopBrowser();
      stopEnd();
    },
  };
}
