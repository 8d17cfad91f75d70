import { StoreError, type Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import { appendAct } from './account-acts.js';
import { endSessions } from './end-sessions.js';
import type { Actor, FirstOwner, LinkPurpose, LinkStore, NewLink, User } from './ports/index.js';
import type { UsedChallenge } from './ports/sign-in.js';
import { present, userOf, type UserRow } from './rows.js';
import { insertTenant } from './tenants.js';
import { insertUser } from './insert-user.js';
import { useForm } from './used-challenges.js';

interface LinkRow {
  readonly token_hash: string;
  readonly user_id: string | null;
  readonly expires_at: string;
  readonly used_at: string | null;
}

/** Links that work once and expire soon: for a user's password, or (without a user) for the first set-up. */
export class SqlLinkStore implements LinkStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async issuePasswordLink(
    tenantId: string,
    userId: string,
    { tokenHash, expiresAt }: NewLink,
    actor: Actor,
    form?: UsedChallenge,
  ): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      await useForm(db, form);
      // Concurrent links wait for this row, and so does disabling the user, so that each sees the link of the one before.
      const [user] = await db<UserRow>('users')
        .where({ tenant_id: tenantId, user_id: userId })
        .whereNull('disabled_at')
        .update({ user_id: userId })
        .returning('email');
      if (user === undefined) return false;
      await db('one_time_links').where({ user_id: userId }).delete();
      await db('one_time_links').insert({
        token_hash: tokenHash,
        user_id: userId,
        expires_at: expiresAt.toISOString(),
      });
      await appendAct(db, { tenantId, act: 'link issued', subject: user.email, actor, at: this.#now() });
      return true;
    });
  }

  async issueSetUpLink({ tokenHash, expiresAt }: NewLink): Promise<void> {
    await this.#database.run(async (db) =>
      db('one_time_links').insert({ token_hash: tokenHash, expires_at: expiresAt.toISOString() }),
    );
  }

  async find(tokenHash: string): Promise<LinkPurpose | null> {
    return this.#database.run(async (db) => {
      const link = await working(db, this.#now()).where({ token_hash: tokenHash }).first('user_id');
      if (link === undefined) return null;
      if (link.user_id === null) return { purpose: 'set-up' };
      const row = await db<UserRow>('users').where({ user_id: link.user_id }).first();
      return row === undefined ? null : { purpose: 'password', user: userOf(row) };
    });
  }

  async redeemForPassword(tokenHash: string, passwordHash: string): Promise<User | null> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const [used] = await working(db, at)
        .where({ token_hash: tokenHash })
        .whereNotNull('user_id')
        .update({ used_at: at.toISOString() })
        .returning('user_id');
      if (typeof used?.user_id !== 'string') return null;
      const userId = used.user_id;
      await db('users').where({ user_id: userId }).update({ password_hash: passwordHash });
      await endSessions(db, userId, at);
      const user = userOf(present(await db<UserRow>('users').where({ user_id: userId }).first()));
      const { tenantId, email } = user;
      await appendAct(db, { tenantId, act: 'password set', subject: email, actor: email, at });
      return user;
    });
  }

  async redeemForSetUp(tokenHash: string, owner: FirstOwner): Promise<User | null> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      // All of them in one statement: of two concurrent set-ups the second one finds its link used.
      const used = await db('one_time_links')
        .whereNull('user_id')
        .whereNull('used_at')
        .whereExists(working(db, at).where({ token_hash: tokenHash }))
        .update({ used_at: at.toISOString() });
      if (used === 0) return null;
      const { tenantName, ...person } = owner;
      const tenantId = (await insertTenant(db, { name: tenantName }, owner.email, at)) ?? (await idOf(db, tenantName));
      const made = await insertUser(db, { ...person, tenantId, role: 'owner' }, owner.email, at);
      if (made === null) throw new StoreError('STORE_ROW_REFUSED', 'the address belongs to a user already');
      return made;
    });
  }
}

async function idOf(db: Knex, tenantName: string): Promise<string> {
  return present(await db<{ tenant_id: string; name: string }>('tenants').where('name', tenantName).first()).tenant_id;
}

function working(db: Knex, now: Date) {
  return db<LinkRow>('one_time_links').whereNull('used_at').where('expires_at', '>', now.toISOString());
}
