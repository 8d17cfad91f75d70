import type { Scope } from '@cer/control-plane';
import type { Tenant } from './accounts.js';
import type { Actor } from './acts.js';

export interface ApiKey {
  readonly keyId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Set when the key was rotated: it works until then. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewApiKey {
  /** Made by the store where the caller has none. */
  readonly keyId?: string | undefined;
  readonly tenantId: string;
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits; the key itself is never kept. */
  readonly keyHash: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
}

export interface ApiKeyStore {
  /** @throws StoreError STORE_ROW_REFUSED for a hash or id that is already a key's */
  create(key: NewApiKey, actor: Actor): Promise<ApiKey>;
  /** Newest first. @param after the id of the key before the first of them; null: from the newest on */
  list(tenantId: string, after: string | null, limit: number): Promise<readonly ApiKey[]>;
  /** How many keys are neither revoked nor expired. */
  countWorking(tenantId: string): Promise<number>;
  /** @returns null unless this tenant has a key of this id, revoked and expired ones included */
  find(tenantId: string, keyId: string): Promise<ApiKey | null>;
  /** Revoked and expired keys are found too. */
  findByHash(keyHash: string): Promise<{ readonly key: ApiKey; readonly tenant: Tenant } | null>;
  /**
   * Puts a new key of the same name and scopes beside the old one, which works until `oldExpiresAt`.
   * @returns null unless this tenant has an active key of this id
   */
  rotate(
    tenantId: string,
    keyId: string,
    replacement: Pick<NewApiKey, 'keyHash' | 'prefix'>,
    oldExpiresAt: Date,
    actor: Actor,
  ): Promise<ApiKey | null>;
  /** @returns false unless this tenant has an unrevoked key of this id */
  revoke(tenantId: string, keyId: string, actor: Actor): Promise<boolean>;
  /** Notes when keys were last used; a time earlier than the stored one changes nothing. */
  markUsed(uses: ReadonlyMap<string, Date>): Promise<void>;
}

/** Scopes of the dashboard's own keys. */
export const READER_SCOPES = ['audit', 'review', 'webhooks'] as const;

/** A key with which the dashboard itself reads the records of one tenant, or certifies reviews for it. */
export interface ReaderKey {
  /** SHA-256 of the key, 64 hex digits; the key itself is never kept. */
  readonly keyHash: string;
  readonly tenantId: string;
  readonly scope: (typeof READER_SCOPES)[number];
  readonly expiresAt: Date;
}

export interface ReaderKeyStore {
  add(key: ReaderKey): Promise<void>;
  /** Expired ones included, until they are swept. */
  findByHash(keyHash: string): Promise<ReaderKey | null>;
}
