import type { Database } from '@cer/sql-store';
import { endSessions } from './end-sessions.js';
import type { NewSession, Session, SessionStore } from './ports/index.js';
import { TENANT_COLUMNS, tenantOf, userOf, type TenantRow, type UserRow } from './rows.js';

type SessionRow = Omit<UserRow, 'name'> &
  TenantRow & { readonly started_at: string; readonly last_seen_at: string; readonly user_name: string };

interface StoredSession {
  readonly token_hash: string;
  readonly user_id: string;
}

/** Sessions of signed-in users. Only the SHA-256 of a session's token is stored. */
export class SqlSessionStore implements SessionStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async start(session: NewSession): Promise<boolean> {
    const at = this.#now().toISOString();
    const { userId: user_id, sessionsEndedAt: sessions_ended_at } = session.user;
    return this.#database.transaction(async (db) => {
      // First: whatever ends sessions changes this row before.
      const signedIn = await db<UserRow>('users')
        .where({ user_id, sessions_ended_at })
        .whereNull('disabled_at')
        .update({ last_login_at: at });
      if (signedIn === 0) return false;
      if (session.replaces !== null) await db('sessions').where({ token_hash: session.replaces }).delete();
      await db('sessions').insert({
        token_hash: session.tokenHash,
        user_id,
        created_at: at,
        last_seen_at: at,
        expires_at: session.expiresAt.toISOString(),
      });
      return true;
    });
  }

  async find(tokenHash: string, idleSince: Date): Promise<Session | null> {
    const row: SessionRow | undefined = await this.#database.run(async (db) =>
      db('sessions as s')
        .join('users as u', 'u.user_id', 's.user_id')
        .join('tenants as t', 't.tenant_id', 'u.tenant_id')
        .join('plans as p', 'p.plan_id', 't.plan_id')
        .where('s.token_hash', tokenHash)
        .where('s.expires_at', '>', this.#now().toISOString())
        .where('s.last_seen_at', '>=', idleSince.toISOString())
        .whereNull('u.disabled_at')
        .first<SessionRow | undefined>({
          ...TENANT_COLUMNS,
          user_id: 'u.user_id',
          email: 'u.email',
          user_name: 'u.name',
          role: 'u.role',
          password_hash: 'u.password_hash',
          created_at: 'u.created_at',
          last_login_at: 'u.last_login_at',
          disabled_at: 'u.disabled_at',
          sessions_ended_at: 'u.sessions_ended_at',
          started_at: 's.created_at',
          last_seen_at: 's.last_seen_at',
        }),
    );
    if (row === undefined) return null;
    const { started_at: startedAt, last_seen_at: lastSeenAt } = row;
    return { user: userOf({ ...row, name: row.user_name }), tenant: tenantOf(row), startedAt, lastSeenAt };
  }

  async touch(tokenHash: string): Promise<void> {
    const last_seen_at = this.#now().toISOString();
    await this.#database.run(async (db) => db('sessions').where({ token_hash: tokenHash }).update({ last_seen_at }));
  }

  async end(tokenHash: string): Promise<void> {
    const at = this.#now();
    await this.#database.transaction(async (db) => {
      const ended = await db<StoredSession>('sessions').where({ token_hash: tokenHash }).first('user_id');
      if (ended === undefined) return;
      await endSessions(db, ended.user_id, at, (sessions) => sessions.where({ token_hash: tokenHash }));
    });
  }
}
