import { randomUUID } from 'node:crypto';

import type { Database, SqlRow, SqlValue } from './database.js';
import type { ApiKey, NewApiKey, Tenant, TenantStore } from '../ports/tenants.js';
import { isStorable, text } from './record-rows.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';

const API_KEY = `
  select k.key_id, k.tenant_id, t.name, k.prefix, k.scopes_json, k.created_at, k.revoked_at
  from api_keys k join tenants t on t.tenant_id = k.tenant_id`;

/** Tenants and their API keys. Only the hash of a key is stored, so the database does not contain usable keys. */
export class SqlTenantStore implements TenantStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async createTenant(name: string): Promise<Tenant> {
    await this.#run(
      'insert into tenants (tenant_id, name, created_at) values ($1, $2, $3) on conflict (name) do nothing',
      [randomUUID(), name, this.#now().toISOString()],
    );
    const tenant = await this.findTenant(name);
    if (tenant === null) throw new StoreError('STORE_CONTENDED', 'the tenant was removed concurrently');
    return tenant;
  }

  async findTenant(name: string): Promise<Tenant | null> {
    if (!isStorable(name)) return null;
    const [row] = await this.#run('select tenant_id, name from tenants where name = $1', [name]);
    return row === undefined ? null : { tenantId: text(row, 'tenant_id'), name: text(row, 'name') };
  }

  async createApiKey({ tenantId, keyHash, prefix, scopes }: NewApiKey): Promise<ApiKey> {
    const keyId = randomUUID();
    await this.#run(
      `insert into api_keys (key_id, tenant_id, key_hash, prefix, scopes_json, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [keyId, tenantId, keyHash, prefix, JSON.stringify(scopes), this.#now().toISOString()],
    );
    const [row] = await this.#run(`${API_KEY} where k.key_id = $1`, [keyId]);
    if (row === undefined) throw new StoreError('STORE_CONTENDED', 'the key was removed concurrently');
    return toApiKey(row);
  }

  async findApiKey(keyHash: string): Promise<ApiKey | null> {
    if (!isStorable(keyHash)) return null;
    const [row] = await this.#run(`${API_KEY} where k.key_hash = $1`, [keyHash]);
    return row === undefined ? null : toApiKey(row);
  }

  async listApiKeys(tenantId: string): Promise<readonly ApiKey[]> {
    const rows = await this.#run(`${API_KEY} where k.tenant_id = $1 order by k.seq`, [tenantId]);
    return rows.map(toApiKey);
  }

  async revokeApiKey(keyId: string): Promise<boolean> {
    const rows = await this.#run(
      'update api_keys set revoked_at = $2 where key_id = $1 and revoked_at is null returning key_id',
      [keyId, this.#now().toISOString()],
    );
    return rows.length > 0;
  }

  async #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    if (!values.every(isStorable)) throw new StoreError('STORE_ROW_REFUSED', 'a text holds NUL or a lone surrogate');
    return await retryPassing(() => this.#database.all(sql, values));
  }
}

function toApiKey(row: SqlRow): ApiKey {
  const scopes: unknown = JSON.parse(text(row, 'scopes_json'));
  return {
    keyId: text(row, 'key_id'),
    tenantId: text(row, 'tenant_id'),
    tenantName: text(row, 'name'),
    prefix: text(row, 'prefix'),
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    createdAt: text(row, 'created_at'),
    active: row['revoked_at'] === null,
  };
}
