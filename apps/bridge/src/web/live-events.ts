import { setTimeout as delay } from 'node:timers/promises';
import type { Html } from '@cer/pages';
import type { LiveSession, Sessions } from '../browser-sessions/sessions.js';

/** How often is looked for news, and how long a silence proxies are not left to themselves, in milliseconds. */
const LOOK_MS = 1000;
const HEARTBEAT_MS = 15_000;

export interface LiveDeps {
  readonly sessions: Pick<Sessions, 'isActive'>;
  readonly show: (session: LiveSession) => Promise<Html>;
  readonly lookMs?: number;
}

/**
 * Server-sent events with the live region, whenever it changed. They end with the session: on logout in any window, on
 * expiry, when user or account are no longer in order, and when that cannot be found out.
 * @param signal aborts when the browser is gone, or this instance stops
 */
export async function* liveEvents(
  { sessions, show, lookMs = LOOK_MS }: LiveDeps,
  session: LiveSession,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let shown = '';
  let silentMs = 0;
  while (!signal.aborted) {
    if (!(await sessions.isActive(session))) {
      yield 'event: ended\ndata: {}\n\n';
      return;
    }
    const { text } = await show(session);
    if (text !== shown) {
      shown = text;
      silentMs = 0;
      yield `data: ${JSON.stringify({ html: text })}\n\n`;
    } else if (silentMs >= HEARTBEAT_MS) {
      silentMs = 0;
      yield ':\n\n';
    }
    silentMs += lookMs;
    await delay(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
