import type { RequestHead } from '@cer/http-service';
import { isFromTheFuture, isTouchDue, type SessionTimes } from '@cer/pages';
import type { SessionAccount } from '../control-plane/accounts.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Session, SessionStore, SessionUser, TokenIdentity } from '../store/index.js';
import { newSessionToken, sessionToken, sessionTokenHash } from './session-cookie.js';

/** An active session. */
export interface LiveSession extends Session {
  readonly tokenHash: string;
}

export interface NewSessionOwner {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly user: SessionUser;
  /** The user's last sign-out, as the control plane tells it; a later one ends the session. */
  readonly lastSignOutAt: string | null;
}

export interface Sessions {
  /** The session of a request, kept alive by it; null without an active one. */
  of(head: Pick<RequestHead, 'headers'>): Promise<LiveSession | null>;
  /** Whether a session is still active; does not keep it alive. */
  isActive(session: LiveSession): Promise<boolean>;
  /**
   * Consumes a handoff token and starts the session it grants, under a new session token. A session that the
   * browser had before ends.
   * @returns null when the handoff token was used before
   */
  start(
    head: Pick<RequestHead, 'headers'>,
    identity: TokenIdentity,
    owner: NewSessionOwner,
  ): Promise<{ readonly session: Session; readonly token: string } | null>;
  end(head: Pick<RequestHead, 'headers'>): Promise<void>;
}

/** Maximum age of the last check of tenant and user. @see docs/spec.md, "Evidence bridge: human path" */
const RECHECK_MS = 60_000;

export interface SessionsDeps {
  readonly store: SessionStore;
  readonly controlPlane: Pick<ControlPlane, 'findSession'>;
  readonly times: SessionTimes;
  readonly now: () => Date;
}

/** Sessions are in the store alone, so that every instance knows them. Throws SERVICE_UNAVAILABLE as its parts do. */
export function createSessions({ store, controlPlane, times, now }: SessionsDeps): Sessions {
  const counting = async (tokenHash: string): Promise<LiveSession | null> => {
    const session = await store.find(tokenHash);
    if (session === null) return null;
    const at = now();
    if (isFromTheFuture(session.createdAt, at.getTime())) return null;
    if (at.getTime() - Date.parse(session.lastSeenAt) > times.idleMs) return null;
    if (Math.abs(at.getTime() - Date.parse(session.checkedAt)) >= RECHECK_MS) {
      const account = await controlPlane.findSession(session.tenantId, session.user.id);
      if (account?.hasBridge !== true || wasSignedOut(session, account)) {
        await store.end(tokenHash);
        return null;
      }
      await store.touch(tokenHash, { checkedAt: at });
    }
    return { ...session, tokenHash };
  };

  return {
    of: async (head) => {
      const token = sessionToken(head);
      if (token === undefined) return null;
      const session = await counting(sessionTokenHash(token));
      if (session === null) return null;
      const at = now();
      if (isTouchDue(session.lastSeenAt, at.getTime(), times)) await store.touch(session.tokenHash, { lastSeenAt: at });
      return session;
    },
    isActive: async ({ tokenHash }) => (await counting(tokenHash)) !== null,
    start: async (head, identity, owner) => {
      const brought = sessionToken(head);
      const token = newSessionToken();
      const session = await store.startOnce(identity, {
        tokenHash: sessionTokenHash(token),
        ...owner,
        expiresAt: new Date(now().getTime() + times.absoluteMs),
        replaces: brought === undefined ? null : sessionTokenHash(brought),
      });
      return session === null ? null : { session, token };
    },
    end: async (head) => {
      const token = sessionToken(head);
      if (token !== undefined) await store.end(sessionTokenHash(token));
    },
  };
}

/** Whether the user signed out after the session began. Times of two machines are never compared: another time is later. */
function wasSignedOut({ lastSignOutAt }: Session, { sessionsEndedAt }: SessionAccount): boolean {
  return sessionsEndedAt !== null && sessionsEndedAt !== lastSignOutAt;
}
