import type { Knex } from 'knex';
import type { Database } from '@cer/sql-store';
import { appendAct } from './account-acts.js';
import { endSessions } from './end-sessions.js';
import { insertUser } from './insert-user.js';
import type { Actor, NewUser, ProviderSignIn, User, UserStore } from './ports/index.js';
import { signInByProvider } from './provider-sign-in.js';
import { userOf, type UserRow } from './rows.js';

/** Users of a tenant. */
export class SqlUserStore implements UserStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async ownerExists(): Promise<boolean> {
    const owner = await this.#database.run(async (db) =>
      db<UserRow>('users').where({ role: 'owner' }).first('user_id'),
    );
    return owner !== undefined;
  }

  async add(user: NewUser, actor: Actor): Promise<User | null> {
    return this.#database.transaction((db) => insertUser(db, user, actor, this.#now()));
  }

  async find(tenantId: string, userId: string): Promise<User | null> {
    const row = await this.#database.run(async (db) =>
      db<UserRow>('users').where({ tenant_id: tenantId, user_id: userId }).first(),
    );
    return row === undefined ? null : userOf(row);
  }

  async findForLogin(email: string): Promise<{ readonly user: User; readonly passwordHash: string | null } | null> {
    const row = await this.#database.run(async (db) => db<UserRow>('users').where({ email }).first());
    return row === undefined ? null : { user: userOf(row), passwordHash: row.password_hash };
  }

  async signInByProvider(person: ProviderSignIn): Promise<User | null> {
    return this.#database.transaction((db) => signInByProvider(db, person, this.#now()));
  }

  async list(tenantId: string, after: string | null, limit: number): Promise<readonly User[]> {
    const rows = await this.#database.run((db) => {
      const users = db<UserRow>('users').where({ tenant_id: tenantId });
      if (after !== null) {
        const last = db('users').where({ tenant_id: tenantId, user_id: after }).select('created_at', 'email');
        users.whereRaw('(created_at, email) > (?)', [last]);
      }
      return users.orderBy(['created_at', 'email']).limit(limit).select();
    });
    return rows.map(userOf);
  }

  async setEnabled(
    ...[tenantId, userId, enabled, actor]: Parameters<UserStore['setEnabled']>
  ): ReturnType<UserStore['setEnabled']> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      // One after the other in a tenant, and none by a user who was disabled meanwhile: two owners who disable each other
      // would leave none.
      await db('tenants')
        .where({ tenant_id: tenantId })
        .update({ status: db.ref('status') });
      if (await isDisabled(db, actor)) return 'actor disabled';
      const [row] = await db<UserRow>('users')
        .where({ tenant_id: tenantId, user_id: userId })
        .update({ disabled_at: enabled ? null : at.toISOString() })
        .returning('email');
      if (row === undefined) return 'unknown';
      if (!enabled) {
        await endSessions(db, userId, at);
        await db('one_time_links').where({ user_id: userId }).delete();
      }
      const act = enabled ? 'user enabled' : 'user disabled';
      await appendAct(db, { tenantId, act, subject: row.email, actor, at });
      return 'changed';
    });
  }
}

async function isDisabled(db: Knex, email: string): Promise<boolean> {
  const user = await db<UserRow>('users').where({ email }).first('disabled_at');
  return user !== undefined && user.disabled_at !== null;
}
