import type { Database } from '@cer/sql-store';
import { READER_SCOPES, type ReaderKey, type ReaderKeyStore } from './ports/index.js';

interface ReaderKeyRow {
  readonly key_hash: string;
  readonly tenant_id: string;
  readonly scope: string;
  readonly expires_at: string;
}

/** The dashboard's own keys for reading records, by the hash under which the node asks for them. */
export class SqlReaderKeyStore implements ReaderKeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ keyHash, tenantId, scope, expiresAt }: ReaderKey): Promise<void> {
    await this.#database.run((db) =>
      db('reader_keys').insert({ key_hash: keyHash, tenant_id: tenantId, scope, expires_at: expiresAt.toISOString() }),
    );
  }

  async findByHash(keyHash: string): Promise<ReaderKey | null> {
    const row = await this.#database.run((db) =>
      db<ReaderKeyRow>('reader_keys')
        .where({ key_hash: keyHash })
        .first('key_hash', 'tenant_id', 'scope', 'expires_at'),
    );
    if (row === undefined) return null;
    return {
      keyHash: row.key_hash,
      tenantId: row.tenant_id,
      scope: READER_SCOPES.find((scope) => scope === row.scope) ?? 'audit',
      expiresAt: new Date(row.expires_at),
    };
  }
}
