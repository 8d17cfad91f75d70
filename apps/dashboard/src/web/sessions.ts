import { ServiceError, type RequestHead } from '@cer/http-service';
import { isFromTheFuture, isTouchDue, type SessionTimes } from '@cer/pages';
import { randomToken, tokenHash } from '../account/random-token.js';
import type { Session, Store, User } from '../store/index.js';
import { cookieToken, SESSION_COOKIE, setCookie } from './cookies.js';

/** A session with the token its browser holds. */
export interface LiveSession extends Session {
  readonly token: string;
}

export interface Sessions {
  /** The active session of a request, or null. */
  of(head: Pick<RequestHead, 'headers'>): Promise<LiveSession | null>;
  /**
   * Signs a user in under a new token. The session that the browser had before ends.
   * @param user as read before the sign-in was checked
   * @param maxMs age at which the session ends, when earlier than for every session
   * @returns the `Set-Cookie` value
   * @throws ServiceError FORBIDDEN when the user was disabled or signed out meanwhile, as by a new password
   */
  start(head: Pick<RequestHead, 'headers'>, user: User, maxMs?: number): Promise<string>;
  end(head: Pick<RequestHead, 'headers'>): Promise<void>;
}

export function createSessions(store: Store, { idleMs, absoluteMs }: SessionTimes, now: () => Date): Sessions {
  return {
    of: async (head) => {
      const token = cookieToken(head, SESSION_COOKIE);
      if (token === undefined) return null;
      const hash = tokenHash(token);
      const seenAt = now().getTime();
      const session = await store.sessions.find(hash, new Date(seenAt - idleMs));
      if (session === null || isFromTheFuture(session.startedAt, seenAt)) return null;
      if (isTouchDue(session.lastSeenAt, seenAt, { idleMs })) await store.sessions.touch(hash);
      return { ...session, token };
    },
    start: async (head, user, maxMs = absoluteMs) => {
      const ageMs = Math.min(maxMs, absoluteMs);
      const brought = cookieToken(head, SESSION_COOKIE);
      const token = randomToken();
      const isStarted = await store.sessions.start({
        tokenHash: tokenHash(token),
        user,
        expiresAt: new Date(now().getTime() + ageMs),
        replaces: brought === undefined ? null : tokenHash(brought),
      });
      if (!isStarted) {
        throw new ServiceError({ code: 'FORBIDDEN', message: 'Your account has just been changed. Sign in again.' });
      }
      await store.note(user.tenantId, 'signed in', user.email, user.email);
      return setCookie(SESSION_COOKIE, token, Math.floor(ageMs / 1000));
    },
    end: async (head) => {
      const token = cookieToken(head, SESSION_COOKIE);
      if (token !== undefined) await store.sessions.end(tokenHash(token));
    },
  };
}
