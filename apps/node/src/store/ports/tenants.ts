export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
}

export interface NewApiKey {
  readonly tenantId: string;
  /** SHA-256 of the key; the key itself is never stored. */
  readonly keyHash: string;
  /** The first characters, for lists of keys. */
  readonly prefix: string;
  readonly scopes: readonly string[];
}

export interface ApiKey {
  readonly keyId: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  /** False once revoked. */
  readonly active: boolean;
}

export interface TenantStore {
  /** The tenant of this name, created if missing. */
  createTenant(name: string): Promise<Tenant>;
  findTenant(name: string): Promise<Tenant | null>;
  /** @throws StoreError STORE_ROW_REFUSED for an unknown tenant or a hash that is already a key */
  createApiKey(key: NewApiKey): Promise<ApiKey>;
  /** Includes revoked keys, with `active: false`. */
  findApiKey(keyHash: string): Promise<ApiKey | null>;
  /** Oldest first. */
  listApiKeys(tenantId: string): Promise<readonly ApiKey[]>;
  /** @returns false when no active key has this id */
  revokeApiKey(keyId: string): Promise<boolean>;
}
