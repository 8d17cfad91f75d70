import type { Knex } from 'knex';
import type { User } from './ports/index.js';
import type { UserRow } from './rows.js';

/**
 * Signs a user out. Sessions that a handoff began elsewhere end too, by the time that is noted.
 * @param which those of the user's sessions here that end, when not all of them
 */
export async function endSessions(
  db: Knex,
  userId: string,
  at: Date,
  which: (sessions: Knex.QueryBuilder) => Knex.QueryBuilder = (all) => all,
): Promise<void> {
  // First: a sign-in changes this row before it adds a session.
  await db('users').where({ user_id: userId }).update({ sessions_ended_at: at.toISOString() });
  await which(db('sessions').where({ user_id: userId })).delete();
}

/**
 * The first statement of a transaction that adds a way of signing in: none outlives the end of the sessions.
 * @param user as read with the session
 * @returns false for a disabled user, and for one who was signed out since
 */
export async function isStillSignedIn(
  db: Knex,
  { userId, sessionsEndedAt }: Pick<User, 'userId' | 'sessionsEndedAt'>,
): Promise<boolean> {
  const signedIn = await db<UserRow>('users')
    .where({ user_id: userId, sessions_ended_at: sessionsEndedAt })
    .whereNull('disabled_at')
    .update({ user_id: userId });
  return signedIn === 1;
}
