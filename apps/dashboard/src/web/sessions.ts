import type { RequestHead } from '@cer/http-service';
import { randomToken, tokenHash } from '../account/random-token.js';
import type { Session, Store, User } from '../store/index.js';
import { cookieToken, SESSION_COOKIE, setCookie } from './cookies.js';

export interface SessionTimes {
  /** Maximum time of a session without a request, in ms. */
  readonly idleMs: number;
  /** Maximum age of a session, in ms. */
  readonly absoluteMs: number;
}

/** A session with the token its browser holds. */
export interface LiveSession extends Session {
  readonly token: string;
}

export interface Sessions {
  /** The active session of a request, or null. */
  of(head: Pick<RequestHead, 'headers'>): Promise<LiveSession | null>;
  /**
   * Signs a user in under a new token. The session that the browser had before ends.
   * @param maxMs age at which it ends, when earlier than for every session
   * @returns the `Set-Cookie` value
   */
  start(head: Pick<RequestHead, 'headers'>, user: User, maxMs?: number): Promise<string>;
  end(head: Pick<RequestHead, 'headers'>): Promise<void>;
}

/** The last use is written at most this many times per idle time, so that a session in use never expires. */
const TOUCHES_PER_IDLE_TIME = 10;
/** Maximum difference between clocks of instances, in ms. */
const CLOCK_SKEW_MS = 5 * 60_000;

export function createSessions(store: Store, { idleMs, absoluteMs }: SessionTimes, now: () => Date): Sessions {
  return {
    of: async (head) => {
      const token = cookieToken(head, SESSION_COOKIE);
      if (token === undefined) return null;
      const hash = tokenHash(token);
      const seenAt = now().getTime();
      const session = await store.sessions.find(hash, new Date(seenAt - idleMs));
      // One that started while the clock was ahead would live until then.
      if (session === null || Date.parse(session.startedAt) - seenAt > CLOCK_SKEW_MS) return null;
      const sinceLastSeenMs = Math.abs(seenAt - Date.parse(session.lastSeenAt));
      if (sinceLastSeenMs > idleMs / TOUCHES_PER_IDLE_TIME) await store.sessions.touch(hash);
      return { ...session, token };
    },
    start: async (head, user, maxMs = absoluteMs) => {
      const ageMs = Math.min(maxMs, absoluteMs);
      const brought = cookieToken(head, SESSION_COOKIE);
      const token = randomToken();
      await store.sessions.start({
        tokenHash: tokenHash(token),
        userId: user.userId,
        expiresAt: new Date(now().getTime() + ageMs),
        replaces: brought === undefined ? null : tokenHash(brought),
      });
      await store.note(user.tenantId, 'signed in', user.email, user.email);
      return setCookie(SESSION_COOKIE, token, Math.floor(ageMs / 1000));
    },
    end: async (head) => {
      const token = cookieToken(head, SESSION_COOKIE);
      if (token !== undefined) await store.sessions.end(tokenHash(token));
    },
  };
}
