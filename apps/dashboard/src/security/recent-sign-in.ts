import { ServiceError } from '@cer/http-service';
import type { LiveSession } from '../web/sessions.js';

/** Age of a session after which it no longer changes how its user signs in, in ms. */
const RECENT_MS = 10 * 60_000;

/** Whether the user signed in a short time ago. */
export function isRecent({ startedAt }: Pick<LiveSession, 'startedAt'>, now: Date): boolean {
  return now.getTime() - Date.parse(startedAt) <= RECENT_MS;
}

/** @throws ServiceError FORBIDDEN for a session that is older: it may be stolen, or left open */
export function refuseOldSession(session: Pick<LiveSession, 'startedAt'>, now: Date): void {
  if (isRecent(session, now)) return;
  const message = 'You signed in more than ten minutes ago. Sign in again, then repeat this.';
  throw new ServiceError({ code: 'FORBIDDEN', message });
}
