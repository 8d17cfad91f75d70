import { randomToken, tokenHash } from '../account/random-token.js';
import type { NewLink } from '../store/index.js';

/** Lifetime of an invitation, in which the user chooses a password. */
export const INVITATION_MS = 72 * 60 * 60 * 1000;
/** Lifetime of the set-up link. */
export const SET_UP_MS = 60 * 60 * 1000;

/** A link that works once, and the parts of it that are stored. */
export interface IssuedLink extends NewLink {
  readonly url: string;
}

export function issueLink(publicUrl: string, lifetimeMs: number, now: Date): IssuedLink {
  const token = randomToken();
  return {
    url: `${publicUrl}/link/${token}`,
    tokenHash: tokenHash(token),
    expiresAt: new Date(now.getTime() + lifetimeMs),
  };
}
