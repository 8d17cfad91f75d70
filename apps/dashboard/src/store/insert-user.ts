import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { appendAct } from './account-acts.js';
import type { Actor, NewUser, User } from './ports/index.js';
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
