import type { Tenant } from './accounts.js';
import type { Actor } from './acts.js';

/**
 * The content of a shared link: one certificate by its hash, or the certificates that a query of the records page
 * finds.
 */
export interface ShareTarget {
  readonly kind: 'certificate' | 'set';
  readonly target: string;
}

export interface NewShare extends ShareTarget {
  /** Made by the store where the caller has none. */
  readonly shareId?: string | undefined;
  readonly tenantId: string;
  /** SHA-256 of the token in the link, 64 hex digits; the token itself is never kept. */
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** A link that lets its holder read certificates of one tenant. */
export interface Share extends ShareTarget {
  readonly shareId: string;
  readonly tenantId: string;
  readonly createdBy: Actor;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** How often its first page was shown. */
  readonly opens: number;
  readonly lastOpenedAt: string | null;
}

export interface ShareStore {
  /** @throws StoreError STORE_ROW_REFUSED for a hash or id that is already a link's */
  create(share: NewShare, actor: Actor): Promise<Share>;
  /**
   * Newest first, ended ones included until they are swept.
   * @param after the id of the link before the first of them; null: from the newest on
   */
  list(tenantId: string, after: string | null, limit: number): Promise<readonly Share[]>;
  /** Whether this tenant has a link of this id, ended ones included until they are swept. */
  has(tenantId: string, shareId: string): Promise<boolean>;
  /** Revoked and expired ones are found too, until they are swept. */
  findByHash(tokenHash: string): Promise<{ readonly share: Share; readonly tenant: Tenant } | null>;
  countOpen(shareId: string): Promise<void>;
  /** @returns false unless this tenant has an unrevoked link of this id */
  revoke(tenantId: string, shareId: string, actor: Actor): Promise<boolean>;
}
