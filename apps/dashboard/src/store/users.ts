import { randomUUID } from 'node:crypto';
import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import { appendAct } from './account-acts.js';
import type { Actor, NewUser, User, UserStore } from './ports.js';
import { present, userOf, type UserRow } from './rows.js';

/** Makes a user unless the address is taken. A first owner ends the links for setting the dashboard up. */
export async function insertUser(db: Knex, user: NewUser, actor: Actor, at: Date): Promise<User | null> {
  const userId = randomUUID();
  const inserted = await db('users')
    .insert({
      user_id: userId,
      tenant_id: user.tenantId,
      email: user.email,
      name: user.name,
      role: user.role,
      password_hash: user.passwordHash,
      created_at: at.toISOString(),
    })
    .onConflict('email')
    .ignore()
    .returning('user_id');
  if (inserted.length === 0) return null;
  // With an owner there is nothing left to set up.
  if (user.role === 'owner') await db('one_time_links').whereNull('user_id').delete();
  await appendAct(db, { tenantId: user.tenantId, act: 'user added', subject: user.email, actor, at });
  return userOf(present(await db<UserRow>('users').where({ user_id: userId }).first()));
}

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

  async list(tenantId: string): Promise<readonly User[]> {
    const rows = await this.#database.run((db) =>
      db<UserRow>('users').where({ tenant_id: tenantId }).orderBy(['created_at', 'email']).select(),
    );
    return rows.map(userOf);
  }

  async setEnabled(tenantId: string, userId: string, enabled: boolean, actor: Actor): Promise<boolean> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const [row] = await db<UserRow>('users')
        .where({ tenant_id: tenantId, user_id: userId })
        .update({ disabled_at: enabled ? null : at.toISOString() })
        .returning('email');
      if (row === undefined) return false;
      if (!enabled) {
        await db('sessions').where({ user_id: userId }).delete();
        await db('one_time_links').where({ user_id: userId }).delete();
      }
      const act = enabled ? 'user enabled' : 'user disabled';
      await appendAct(db, { tenantId, act, subject: row.email, actor, at });
      return true;
    });
  }
}
