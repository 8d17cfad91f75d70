import type { Knex } from 'knex';

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
