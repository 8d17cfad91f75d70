import { setTimeout as delay } from 'node:timers/promises';
import type { Html } from '@cer/pages';
import type { LiveSession, Sessions } from '../browser-sessions/sessions.js';

/** Poll interval, and heartbeat interval that keeps proxies from closing an idle stream, in milliseconds. */
const POLL_MS = 1000;
const HEARTBEAT_MS = 15_000;

export interface LiveDeps {
  readonly sessions: Pick<Sessions, 'isActive'>;
  readonly show: (session: LiveSession) => Promise<Html>;
}

/** The user and account of a page: its stream may connect again with the cookie of another session. */
export function viewerOf({ tenantId, user }: LiveSession): string {
  return `${tenantId} ${user.id}`;
}

/**
 * Server-sent events with the live region, whenever it changed. They end with the session: on logout in any window, on
 * expiry, when user or account lose access, and when that cannot be checked.
 * @param signal aborts when the browser is gone, or this instance stops
 */
export async function* liveEvents(
  { sessions, show }: LiveDeps,
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
      yield `data: ${JSON.stringify({ viewer: viewerOf(session), html: text })}\n\n`;
    } else if (silentMs >= HEARTBEAT_MS) {
      silentMs = 0;
      yield ':\n\n';
    }
    silentMs += POLL_MS;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
