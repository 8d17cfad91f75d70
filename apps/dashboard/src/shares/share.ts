import { randomToken, tokenHash } from '../account/random-token.js';
import type { AccountStatus, NewShare, Share, ShareTarget } from '../store/index.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a link may be valid. */
export const LIFETIMES = [
  { days: 1, label: 'One day' },
  { days: 7, label: 'One week' },
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
] as const;

export interface IssuedShare extends NewShare {
  /** Shown once. */
  readonly url: string;
}

/** Makes a link of 256 random bits, of which only the hash is stored. */
export function issueShare(
  publicUrl: string,
  tenantId: string,
  target: ShareTarget,
  days: number,
  now: Date,
): IssuedShare {
  const token = randomToken();
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  return { ...target, tenantId, tokenHash: tokenHash(token), expiresAt, url: `${publicUrl}/shared/${token}` };
}

/** Why a link shows nothing; null for one that works. */
export function endOf(share: Share, status: AccountStatus, now: Date): 'revoked' | 'expired' | 'suspended' | null {
  if (share.revokedAt !== null) return 'revoked';
  if (share.expiresAt <= now.toISOString()) return 'expired';
  return status === 'active' ? null : 'suspended';
}
