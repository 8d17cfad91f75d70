import { randomUUID } from 'node:crypto';
import type { Database } from '@cer/sql-store';
import { appendAct } from './account-acts.js';
import type { Actor, NewShare, Share, ShareStore, Tenant } from './ports/index.js';
import { findTenantBy, present } from './rows.js';

interface ShareRow {
  readonly share_id: string;
  readonly tenant_id: string;
  readonly token_hash: string;
  readonly kind: string;
  readonly target: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
  /** PostgreSQL returns a 64-bit number as text. */
  readonly opens: number | string;
  readonly last_opened_at: string | null;
}

/** Links by which certificates of a tenant are shared. */
export class SqlShareStore implements ShareStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async create(share: NewShare, actor: Actor): Promise<Share> {
    const { shareId = randomUUID(), tenantId, tokenHash, kind, target, expiresAt } = share;
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      await db('shares').insert({
        share_id: shareId,
        tenant_id: tenantId,
        token_hash: tokenHash,
        kind,
        target,
        created_by: actor,
        created_at: at.toISOString(),
        expires_at: expiresAt.toISOString(),
      });
      await appendAct(db, { tenantId, act: 'link shared', subject: subjectOf(target), actor, at });
      return shareOf(present(await db<ShareRow>('shares').where({ share_id: shareId }).first()));
    });
  }

  async list(tenantId: string, after: string | null, limit: number): Promise<readonly Share[]> {
    const rows = await this.#database.run((db) => {
      const shares = db<ShareRow>('shares').where({ tenant_id: tenantId });
      if (after !== null) {
        shares.where('seq', '<', db('shares').where({ tenant_id: tenantId, share_id: after }).select('seq'));
      }
      return shares.orderBy('seq', 'desc').limit(limit).select();
    });
    return rows.map(shareOf);
  }

  async has(tenantId: string, shareId: string): Promise<boolean> {
    const found = await this.#database.run(async (db) =>
      db<ShareRow>('shares').where({ tenant_id: tenantId, share_id: shareId }).first('share_id'),
    );
    return found !== undefined;
  }

  async findByHash(tokenHash: string): Promise<{ readonly share: Share; readonly tenant: Tenant } | null> {
    return this.#database.run(async (db) => {
      const row = await db<ShareRow>('shares').where({ token_hash: tokenHash }).first();
      if (row === undefined) return null;
      return { share: shareOf(row), tenant: present(await findTenantBy(db, 'tenant_id', row.tenant_id)) };
    });
  }

  async countOpen(shareId: string): Promise<void> {
    await this.#database.run((db) =>
      db('shares')
        .where({ share_id: shareId })
        .increment('opens', 1)
        .update({ last_opened_at: this.#now().toISOString() }),
    );
  }

  async revoke(tenantId: string, shareId: string, actor: Actor): Promise<boolean> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const [row] = await db<ShareRow>('shares')
        .where({ tenant_id: tenantId, share_id: shareId })
        .whereNull('revoked_at')
        .update({ revoked_at: at.toISOString() })
        .returning('target');
      if (row === undefined) return false;
      await appendAct(db, { tenantId, act: 'shared link revoked', subject: subjectOf(row.target), actor, at });
      return true;
    });
  }
}

/** A set without filters is every certificate. */
function subjectOf(target: string): string {
  return target === '' ? 'all' : target;
}

function shareOf(row: ShareRow): Share {
  return {
    shareId: row.share_id,
    tenantId: row.tenant_id,
    // An unknown scope shows the least.
    kind: row.kind === 'set' ? 'set' : 'certificate',
    target: row.target,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    opens: Number(row.opens),
    lastOpenedAt: row.last_opened_at,
  };
}
