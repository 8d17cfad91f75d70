import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import type { NewSession, Session, SessionStore, TokenIdentity } from './ports.js';

interface SessionRow {
  readonly token_hash: string;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly user_id: string;
  readonly user_email: string;
  readonly user_name: string;
  readonly last_sign_out_at: string | null;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly checked_at: string;
  readonly expires_at: string;
}

/** Sessions of the readers of the pages, and the handoff tokens that were used. */
export class SqlSessionStore implements SessionStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async startOnce(token: TokenIdentity, session: NewSession): Promise<Session | null> {
    const row = rowOf(session, this.#now().toISOString());
    return this.#database.transaction(async (db) => {
      // The process that inserts the row consumes the token; every other one finds it taken.
      if (!(await consume(db, token))) return null;
      if (session.replaces !== null) await db('sessions').where({ token_hash: session.replaces }).delete();
      await db('sessions').insert(row);
      return sessionOf(row);
    });
  }

  async find(tokenHash: string): Promise<Session | null> {
    const row: SessionRow | undefined = await this.#database.run(async (db) =>
      db<SessionRow>('sessions')
        .where('token_hash', tokenHash)
        .where('expires_at', '>', this.#now().toISOString())
        .first(),
    );
    return row === undefined ? null : sessionOf(row);
  }

  async touch(tokenHash: string, seen: { readonly lastSeenAt?: Date; readonly checkedAt?: Date }): Promise<void> {
    const { lastSeenAt, checkedAt } = seen;
    const change = {
      ...(lastSeenAt !== undefined && { last_seen_at: lastSeenAt.toISOString() }),
      ...(checkedAt !== undefined && { checked_at: checkedAt.toISOString() }),
    };
    await this.#database.run(async (db) => db('sessions').where({ token_hash: tokenHash }).update(change));
  }

  async end(tokenHash: string): Promise<void> {
    await this.#database.run(async (db) => db('sessions').where({ token_hash: tokenHash }).delete());
  }
}

async function consume(db: Knex.Transaction, { issuer, jti, expiresAt }: TokenIdentity): Promise<boolean> {
  const taken: readonly unknown[] = await db('consumed_tokens')
    .insert({ issuer, jti, expires_at: expiresAt.toISOString() })
    .onConflict(['issuer', 'jti'])
    .ignore()
    .returning('jti');
  return taken.length === 1;
}

function rowOf(session: NewSession, at: string): SessionRow {
  const { tokenHash, tenantId, tenantName, user, lastSignOutAt, expiresAt } = session;
  return {
    token_hash: tokenHash,
    tenant_id: tenantId,
    tenant_name: tenantName,
    user_id: user.id,
    user_email: user.email,
    user_name: user.name,
    last_sign_out_at: lastSignOutAt,
    created_at: at,
    last_seen_at: at,
    checked_at: at,
    expires_at: expiresAt.toISOString(),
  };
}

function sessionOf(row: SessionRow): Session {
  return {
    tenantId: row.tenant_id,
    tenantName: row.tenant_name,
    user: { id: row.user_id, email: row.user_email, name: row.user_name },
    lastSignOutAt: row.last_sign_out_at,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    checkedAt: row.checked_at,
    expiresAt: row.expires_at,
  };
}
