import { randomUUID } from 'node:crypto';
import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import { appendAct } from './account-acts.js';
import type { Actor, ApiKey, ApiKeyStore, NewApiKey, Tenant } from './ports/index.js';
import { apiKeyOf, present, TENANT_COLUMNS, tenantOf, type ApiKeyRow, type TenantRow } from './rows.js';

const KEY_COLUMNS = [
  'key_id',
  'tenant_id',
  'name',
  'prefix',
  'scopes_json',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
] as const;

type FoundRow = Omit<ApiKeyRow, 'name' | 'created_at'> &
  TenantRow & { readonly key_name: string; readonly key_created_at: string };

/** API keys of all tenants. Of a key only its hash is kept, so nothing here can be used to call a node. */
export class SqlApiKeyStore implements ApiKeyStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async create(key: NewApiKey, actor: Actor): Promise<ApiKey> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const made = await insertKey(db, key, at);
      await appendAct(db, { tenantId: key.tenantId, act: 'API key created', subject: subjectOf(made), actor, at });
      return made;
    });
  }

  async list(tenantId: string, after: string | null, limit: number): Promise<readonly ApiKey[]> {
    const rows = await this.#database.run((db) => {
      const keys = db<ApiKeyRow>('api_keys').where({ tenant_id: tenantId });
      if (after !== null) {
        keys.where('seq', '<', db('api_keys').where({ tenant_id: tenantId, key_id: after }).select('seq'));
      }
      return keys
        .orderBy('seq', 'desc')
        .limit(limit)
        .select(...KEY_COLUMNS);
    });
    return rows.map(apiKeyOf);
  }

  async countWorking(tenantId: string): Promise<number> {
    const now = this.#now().toISOString();
    const row: { readonly keys?: number | string } | undefined = await this.#database.run(async (db) =>
      db<ApiKeyRow>('api_keys')
        .where({ tenant_id: tenantId })
        .whereNull('revoked_at')
        .where((key) => {
          key.whereNull('expires_at').orWhere('expires_at', '>', now);
        })
        .count({ keys: '*' })
        .first(),
    );
    return Number(row?.keys ?? 0);
  }

  async find(tenantId: string, keyId: string): Promise<ApiKey | null> {
    const row: ApiKeyRow | undefined = await this.#database.run(async (db) =>
      db<ApiKeyRow>('api_keys').where({ tenant_id: tenantId, key_id: keyId }).first(KEY_COLUMNS),
    );
    return row === undefined ? null : apiKeyOf(row);
  }

  async findByHash(keyHash: string): Promise<{ readonly key: ApiKey; readonly tenant: Tenant } | null> {
    const row: FoundRow | undefined = await this.#database.run(async (db) =>
      db('api_keys as k')
        .join('tenants as t', 't.tenant_id', 'k.tenant_id')
        .join('plans as p', 'p.plan_id', 't.plan_id')
        .where('k.key_hash', keyHash)
        .first<FoundRow | undefined>({
          ...TENANT_COLUMNS,
          key_id: 'k.key_id',
          key_name: 'k.name',
          prefix: 'k.prefix',
          scopes_json: 'k.scopes_json',
          key_created_at: 'k.created_at',
          last_used_at: 'k.last_used_at',
          expires_at: 'k.expires_at',
          revoked_at: 'k.revoked_at',
        }),
    );
    if (row === undefined) return null;
    return { key: apiKeyOf({ ...row, name: row.key_name, created_at: row.key_created_at }), tenant: tenantOf(row) };
  }

  async rotate(
    tenantId: string,
    keyId: string,
    replacement: Pick<NewApiKey, 'keyHash' | 'prefix'>,
    oldExpiresAt: Date,
    actor: Actor,
  ): Promise<ApiKey | null> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const [old] = await db<ApiKeyRow>('api_keys')
        .where({ tenant_id: tenantId, key_id: keyId })
        .whereNull('revoked_at')
        .whereNull('expires_at')
        .update({ expires_at: oldExpiresAt.toISOString() })
        .returning(KEY_COLUMNS);
      if (old === undefined) return null;
      const { name, scopes, prefix } = apiKeyOf(old);
      const made = await insertKey(db, { tenantId, name, scopes, ...replacement }, at);
      const subject = `${name}: ${prefix}… → ${made.prefix}…`;
      await appendAct(db, { tenantId, act: 'API key rotated', subject, actor, at });
      return made;
    });
  }

  async revoke(tenantId: string, keyId: string, actor: Actor): Promise<boolean> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const [row] = await db<ApiKeyRow>('api_keys')
        .where({ tenant_id: tenantId, key_id: keyId })
        .whereNull('revoked_at')
        .update({ revoked_at: at.toISOString() })
        .returning(KEY_COLUMNS);
      if (row === undefined) return false;
      await appendAct(db, { tenantId, act: 'API key revoked', subject: subjectOf(apiKeyOf(row)), actor, at });
      return true;
    });
  }

  async markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    if (uses.size === 0) return;
    // In one order everywhere, so that two instances cannot deadlock.
    const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
    await this.#database.transaction(async (db) => {
      for (const [keyId, usedAt] of sorted) {
        const last_used_at = usedAt.toISOString();
        await db('api_keys')
          .where({ key_id: keyId })
          .andWhere((earlier) => {
            void earlier.whereNull('last_used_at').orWhere('last_used_at', '<', last_used_at);
          })
          .update({ last_used_at });
      }
    });
  }
}

async function insertKey(db: Knex, key: NewApiKey, at: Date): Promise<ApiKey> {
  const [row] = await db('api_keys')
    .insert({
      key_id: key.keyId ?? randomUUID(),
      tenant_id: key.tenantId,
      name: key.name,
      key_hash: key.keyHash,
      prefix: key.prefix,
      scopes_json: JSON.stringify(key.scopes),
      created_at: at.toISOString(),
    })
    .returning<ApiKeyRow[]>(KEY_COLUMNS);
  return apiKeyOf(present(row));
}

function subjectOf({ name, prefix }: ApiKey): string {
  return `${name}: ${prefix}…`;
}
