import type { Knex } from 'knex';
import { appendAct } from './account-acts.js';
import type { Role } from '../account/role.js';
import { endSessions } from './end-sessions.js';
import type { ProviderSignIn, User } from './ports/index.js';
import { userOf, type UserRow } from './rows.js';
import { insertUser } from './insert-user.js';

const ACTOR = 'sign-in provider';

interface IdentityRow {
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: string;
  readonly seen_at: string;
}

/**
 * The user behind an identity of a provider, made or linked at the first sign-in, with the role that the provider gives.
 * Runs in a transaction, of which its first statement writes.
 * @returns null for a person without a role, a disabled user, and an address that belongs to someone else
 */
export async function signInByProvider(db: Knex, person: ProviderSignIn, at: Date): Promise<User | null> {
  const { issuer, subject, tenantId, role } = person;
  const [known] = await db<IdentityRow>('identities')
    .where({ issuer, subject })
    .update({ seen_at: at.toISOString() })
    .returning('user_id');
  const userId = known?.user_id ?? (role === null ? null : await firstSignIn(db, { ...person, role }, at));
  if (userId === null) return null;
  const row = await db<UserRow>('users').where({ user_id: userId, tenant_id: tenantId }).first();
  if (row === undefined || row.disabled_at !== null) return null;
  if (role === null) {
    // A user who lost every role at the provider is signed out everywhere.
    await endSessions(db, userId, at);
    return null;
  }
  if (row.role !== role) {
    await db<UserRow>('users').where({ user_id: userId }).update({ role });
    await appendAct(db, { tenantId, act: 'role changed', subject: `${row.email}: ${role}`, actor: ACTOR, at });
  }
  return userOf({ ...row, role });
}

async function firstSignIn(db: Knex, person: ProviderSignIn & { role: Role }, at: Date): Promise<string | null> {
  const { issuer, subject, tenantId, email, name, role } = person;
  const made = await insertUser(db, { tenantId, email, name, role, passwordHash: null }, ACTOR, at);
  const user = made ?? (await db<UserRow>('users').where({ email, tenant_id: tenantId }).first());
  if (user === undefined) return null;
  const userId = 'userId' in user ? user.userId : user.user_id;
  const linked = await db<IdentityRow>('identities').where({ issuer, user_id: userId }).first();
  // Linked since this transaction began, or to a person who had the address before.
  if (linked !== undefined) return linked.subject === subject ? userId : null;
  await db<IdentityRow>('identities').insert({ issuer, subject, user_id: userId, seen_at: at.toISOString() });
  if (made === null) await appendAct(db, { tenantId, act: 'provider linked', subject: email, actor: ACTOR, at });
  return userId;
}
