import { isJsonObject, member } from '@cer/canonical-json';
import {
  noContent,
  ok,
  parseJsonBody,
  ServiceError,
  type ServiceRequest,
  type ServiceResponse,
} from '@cer/http-service';
import { object, TEXT } from '@cer/http-service/openapi';
import type { Logger } from '@cer/http-service/process';
import type { SessionTimes } from '@cer/pages';
import type { ControlPlane } from '../control-plane/control-plane.js';
import { HandoffRefused, verifyHandoffToken, type Handoff, type HandoffRules } from '../handoff/verify-token.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Session } from '../store/index.js';
import { refuseForgery } from './origin.js';
import { CLEARED_COOKIE, sessionCookie } from './session-cookie.js';
import type { Sessions } from './sessions.js';

export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly controlPlane: Pick<ControlPlane, 'findSession'>;
  readonly handoffRules: HandoffRules;
  /** This bridge's origin. */
  readonly publicUrl: string;
  readonly sessionTimes: SessionTimes;
  readonly logger: Logger;
}

const HANDOFF_LIMIT_BYTES = 64 * 1024;
const MAX_DEPTH = 4;

const SESSION = object({
  session: object({
    ...{ tenantId: TEXT, tenantName: TEXT, user: object({ id: TEXT, email: TEXT, name: TEXT }) },
    ...{ createdAt: TEXT, expiresAt: TEXT },
  }),
});

/** @see docs/spec.md, "Evidence bridge: human path" */
export function sessionRoutes(deps: SessionRouteDeps): DescribedRoute[] {
  const { sessions, publicUrl } = deps;
  const fromOwnPage = async (head: Parameters<typeof refuseForgery>[0]): Promise<void> => {
    refuseForgery(head, publicUrl);
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/auth/handoff',
      description: {
        group: 'Sessions',
        summary: 'Start a session with a handoff token of the dashboard',
        access: 'own page',
        body: { schema: object({ token: TEXT }, { replace: { type: 'boolean' } }) },
        success: { 200: { description: 'The session; its cookie is set.', schema: SESSION } },
        errors: ['UNAUTHORIZED', 'SESSION_CONFLICT'],
      },
      admit: fromOwnPage,
      mediaTypes: ['application/json'],
      bodyLimitBytes: HANDOFF_LIMIT_BYTES,
      handler: (request) => signIn(deps, request),
    },
    {
      method: 'GET',
      path: '/api/v1/auth/session',
      description: {
        group: 'Sessions',
        summary: 'The session of this browser',
        access: 'session',
        success: { 200: { description: 'The session.', schema: SESSION } },
        errors: ['UNAUTHORIZED'],
      },
      handler: async (request) => {
        const session = await sessions.of(request);
        if (session === null) throw noSession();
        return ok({ session: shown(session) });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/auth/logout',
      description: {
        group: 'Sessions',
        summary: 'End the session of this browser',
        access: 'own page',
        success: { 204: { description: 'The session has ended.', mediaTypes: [] } },
      },
      admit: fromOwnPage,
      handler: async (request) => {
        await sessions.end(request);
        return noContent({ 'set-cookie': CLEARED_COOKIE });
      },
    },
  ];
}

async function signIn(deps: SessionRouteDeps, request: ServiceRequest): Promise<ServiceResponse> {
  const { sessions, controlPlane, logger, sessionTimes } = deps;
  const body = parseJsonBody(request, { maxDepth: MAX_DEPTH });
  const token = isJsonObject(body) ? member(body, 'token') : undefined;
  const replace = isJsonObject(body) && member(body, 'replace') === true;
  const refuse = (reason: string): ServiceError => {
    logger.info({ requestId: request.requestId, reason }, 'handoff refused');
    return noSession();
  };

  const handoff = await verifyHandoffToken(token, deps.handoffRules).catch((error: unknown) => {
    throw error instanceof HandoffRefused ? refuse(error.message) : error;
  });
  if (!replace) await refuseOtherSession(sessions, request, handoff);
  const account = await controlPlane.findSession(handoff.tenantId, handoff.userId);
  if (account === null) throw refuse('unknown, disabled or suspended user');
  if (isFromBefore(handoff, account.sessionsEndedAt)) throw refuse('issued before the user was signed out');
  if (!account.hasBridge) {
    throw new ServiceError({ code: 'FORBIDDEN', message: 'The evidence bridge is not part of this account' });
  }
  const { tenantName, user, sessionsEndedAt: lastSignOutAt } = account;
  const owner = { tenantId: handoff.tenantId, tenantName, user, lastSignOutAt };
  const started = await sessions.start(request, handoff.identity, owner);
  if (started === null) throw refuse('used before');
  const cookie = sessionCookie(started.token, Math.floor(sessionTimes.absoluteMs / 1000));
  return ok({ session: shown(started.session) }, { 'set-cookie': cookie });
}

/** Both times are of the control plane's clock. */
function isFromBefore({ issuedBeforeMs }: Handoff, signOutAt: string | null): boolean {
  return signOutAt !== null && issuedBeforeMs < Date.parse(signOutAt);
}

/** Refuses to end another user's session in this browser unasked; the token stays valid until the person has chosen. */
async function refuseOtherSession(sessions: Sessions, request: ServiceRequest, handoff: Handoff): Promise<void> {
  const active = await sessions.of(request);
  if (active === null) return;
  if (active.tenantId !== handoff.tenantId || active.user.id !== handoff.userId) {
    throw new ServiceError({ code: 'SESSION_CONFLICT' });
  }
}

function shown({
  tenantId,
  tenantName,
  user,
  createdAt,
  expiresAt,
}: Session): Omit<Session, 'lastSignOutAt' | 'lastSeenAt' | 'checkedAt'> {
  return { tenantId, tenantName, user, createdAt, expiresAt };
}

/** 401 without a challenge: sessions have no authentication scheme. */
function noSession(): ServiceError<'UNAUTHORIZED'> {
  return new ServiceError({ code: 'UNAUTHORIZED' });
}
